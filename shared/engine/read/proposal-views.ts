import type { z } from 'zod'
import type { Proposal } from '../../contract/ops/memory/proposals.ts'
import type { ReviewItem } from '../../contract/ops/review/queue.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf, withinBound, type Given } from '../identity.ts'
import { headsById, type Head } from '../store/memories.ts'
import { contradictionsOf, holdersOf, PROPOSAL_ITEM, type Contradiction, type ProposalFilter } from '../store/proposals.ts'
import { iso } from '../store/row-view.ts'
import { sideView } from './pair-view.ts'
import { gradedRunsOf, talliesOf } from './trials.ts'

type Item = z.output<typeof ReviewItem>
type Peers = Proposal['contradicts']

/** Proposals of a selector that the token may see. */
export function proposalFilterOf({ identity, given, caller, now }: ReadContext, key?: string): ProposalFilter {
  const bound = boundOf(caller)
  return {
    org: identity.org,
    namespace: identity.namespace,
    key,
    agent: given.agent,
    userId: bound.user_id ?? given.user_id,
    sessionId: bound.session_id ?? given.session_id,
    now,
  }
}

interface Against {
  readonly noted: Contradiction
  readonly peer: Head
}

/** What the caller may see of what stands against each proposal, nearest first. */
async function againstOf(heads: readonly Head[], { db, identity, caller, now }: ReadContext): Promise<Map<string, Against[]>> {
  const noted = await contradictionsOf(
    db,
    identity.org,
    heads.map((head) => head.memory_id),
    now,
  )
  const peers = await headsById(
    db,
    identity.org,
    noted.map((one) => one.peer_id),
  )
  const against = new Map<string, Against[]>()
  for (const one of noted) {
    const peer = peers.get(one.peer_id)
    if (!peer || !withinBound(caller, peer)) continue
    against.set(one.row_id, [...(against.get(one.row_id) ?? []), { noted: one, peer }])
  }
  return against
}

const MOST_PEERS = 5

const peersOf = (against: readonly Against[]): Peers =>
  against.slice(0, MOST_PEERS).map(({ noted, peer }) => ({
    memory_key: peer.memory_key,
    memory_id: peer.memory_id,
    excerpt: peer.excerpt,
    similarity: noted.similarity,
    relation: 'contradicts',
    reason: noted.reason,
    confidence: noted.confidence,
    status: peer.status as Peers[number]['status'],
  }))

/** Proposals with their trials, in the order given. */
export async function proposalViews(heads: readonly Head[], filter: ProposalFilter, context: ReadContext): Promise<Proposal[]> {
  const { db, caller, now } = context
  const ids = heads.map((head) => head.memory_id)
  const against = await againstOf(heads, context)
  const tallies = await talliesOf(db, filter.org, ids, caller)
  const runs = await gradedRunsOf(db, filter.org, ids, caller)
  const holders = await holdersOf(
    db,
    { ...filter, key: undefined },
    heads.map((head) => head.memory_key),
  )
  return heads.map((head) => {
    const held = holders.get(head.memory_key) ?? 1
    const { passes = 0, fails = 0, ungraded = 0 } = tallies.get(head.memory_id) ?? {}
    return {
      row: sideView(head, now),
      holders: held,
      passes,
      fails,
      runs: runs
        .filter((run) => run.memory_id === head.memory_id)
        .map(({ run_id, grade, graded_at, graded_by, goal }) => ({ run_id, grade, graded_at: iso(graded_at), graded_by, goal })),
      ungraded_runs: ungraded,
      contradicts: peersOf(against.get(head.memory_id) ?? []),
      decidable: held === 1,
    }
  })
}

/** What one click sends: the proposal of this very row. */
function actionsOf(head: Head, place: Given): Item['actions'] {
  const { agent, user_id, session_id, memory_key } = head
  return (['accept', 'reject'] as const).map((decision) => ({
    action: decision,
    op: 'memory.proposal_decide',
    arguments: { ...place, agent, user_id, session_id, memory_key, decision },
  }))
}

/** Proposals as items of the review queue. */
export async function proposalItems(heads: readonly Head[], filter: ProposalFilter, place: Given, context: ReadContext): Promise<Item[]> {
  const against = await againstOf(heads, context)
  const holders = await holdersOf(
    context.db,
    filter,
    heads.map((head) => head.memory_key),
  )
  return heads.map((head) => {
    const [first, ...more] = against.get(head.memory_id) ?? []
    return {
      item_id: `${PROPOSAL_ITEM}${head.memory_id}`,
      kind: 'proposal',
      at: head.updated_at.toISOString(),
      row: sideView(head, context.now),
      peer: first ? sideView(first.peer, context.now) : null,
      peers_more: more.length,
      reason: first?.noted.reason ?? `Proposed by ${head.actor}: served once it is accepted.`,
      confidence: first?.noted.confidence ?? null,
      unsure: first?.noted.unsure ?? false,
      sync: null,
      // A decision names a key and decides its newest row: with several, none is offered (PRO019).
      actions: (holders.get(head.memory_key) ?? 1) === 1 ? actionsOf(head, place) : [],
    }
  })
}
