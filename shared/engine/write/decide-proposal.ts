import { sql } from 'kysely'
import type { Output } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import type { memoryProposalDecide } from '../../contract/ops/memory/proposal_decide.ts'
import { settle, type Settlement } from '../../domain/verdict/settle.ts'
import type { Queryable } from '../db/database.ts'
import type { CallContext, PrepareContext, WriteContext } from '../handler.ts'
import { headsById, type Head } from '../store/memories.ts'
import { contradictionsOf } from '../store/proposals.ts'
import { candidates } from '../store/resolve.ts'
import { countBlacklistHit, passBlacklist } from './blacklist.ts'
import { contentOfHead, type Content } from './content.ts'
import { embedContent, isEmbedded } from './embed.ts'
import { passGuards } from './guards.ts'
import { assess, factsOf, peerOf, stillStanding, UNJUDGED, type Assessment, type Judged } from './judging.ts'
import { openSettledPairs } from './open-pairs.ts'
import { peersToSettle } from './older-of-key.ts'
import { reviseRow } from './revise-row.ts'
import { isOnTrial } from './state.ts'

type Answer = Output<typeof memoryProposalDecide>

/** The newest proposal of a key that the call reaches; null: none is on trial (PRO018). */
export async function newestProposal(db: Queryable, key: string, context: CallContext): Promise<Head | null> {
  // Newest first.
  return (await candidates(db, key, context)).find((head) => isOnTrial(head, context.now)) ?? null
}

/** A proposal, read and judged again. */
export interface Acceptance {
  readonly head: Head
  readonly content: Content
  readonly assessment: Assessment
}

export async function assessAcceptance(head: Head, context: PrepareContext): Promise<Acceptance> {
  const { org, namespace, memory_type: memoryType, user_id: userId, memory_id: memoryId } = head
  const content = contentOfHead(head)
  if (memoryType === 'episodic' || head.sensitivity === 'high') return { head, content, assessment: UNJUDGED }
  const vectors = isEmbedded(memoryType, head.sensitivity) ? await embedContent(content, context) : null
  const candidate = { org, namespace, content, vector: vectors?.value ?? null, memoryType, userId, memoryId }
  return { head, content, assessment: await assess(candidate, context) }
}

/** What accepting it came to. */
export interface Accepted {
  readonly head: Head
  readonly verdict: Answer['conflict_verdict']
  readonly peers: Answer['peers']
}

const MOST_PEERS = 5

const shielded = (head: Head, peers: Answer['peers']): LoomError =>
  new LoomError(
    'PINNED_CONFLICT',
    `A pinned memory (${peers[0]?.memory_key ?? ''}) stands against ${head.memory_key}, which stays on trial. Unpin or correct that one, or reject the proposal.`,
    { memory_key: head.memory_key, memory_id: head.memory_id, peers },
  )

const peersOf = (judged: readonly Judged[], settlement: Settlement): Answer['peers'] => {
  const involved = new Set(settlement.involved.map((peer) => peer.memoryId))
  return judged
    .filter((peer) => involved.has(peer.head.memory_id))
    .slice(0, MOST_PEERS)
    .map((peer) => peerOf(peer, settlement.verdict === 'rejected'))
}

/** Contradictions noted on trial whose other side still lives, besides those found again. */
async function notedAgainst(head: Head, { tx, now }: WriteContext): Promise<{ peers: Answer['peers']; pinned: boolean }> {
  const noted = await contradictionsOf(tx, head.org, [head.memory_id], now)
  const heads = await headsById(
    tx,
    head.org,
    noted.map((one) => one.peer_id),
  )
  const peers = noted.flatMap((one) => {
    const peer = heads.get(one.peer_id)
    return peer ? [{ one, peer }] : []
  })
  return {
    peers: peers.map(({ one, peer }) => ({
      memory_key: peer.memory_key,
      memory_id: peer.memory_id,
      excerpt: peer.excerpt,
      similarity: one.similarity,
      relation: 'contradicts' as const,
      reason: one.reason,
      confidence: one.confidence,
      status: peer.status as Answer['peers'][number]['status'],
    })),
    pinned: peers.some(({ one, peer }) => peer.pinned && !one.unsure),
  }
}

/**
 * Takes a fact out of its trial: judged again, it retires nothing under any policy. What it contradicts, or was noted to
 * contradict on trial, makes it conflicted; the same fact elsewhere a duplicate (PRO020). The key is locked.
 * @param op its name in the history: the decision, or the policy that made it
 * @throws LoomError LOCKED, BLACKLISTED or PINNED_CONFLICT; it stays on trial then
 */
export async function acceptProposal(
  { head, content, assessment }: Acceptance,
  op: string,
  dryRun: boolean,
  context: WriteContext,
): Promise<Accepted> {
  const { tx, now, parts, actor } = context
  passGuards(head, 'correct_value', now)
  await passBlacklist(tx, head.org, head.namespace, content.value, (id, org) =>
    context.afterRollback((after) => countBlacklistHit(after, org, id, now)),
  )
  const minConfidence = parts.config.verdictMinConfidence
  const standing = await stillStanding(assessment, head.org, tx)
  const judged = await peersToSettle(standing, { identity: head, content, head, policy: 'flag' }, minConfidence, context)
  const settlement = settle(
    judged.map((peer) => factsOf(peer, head.memory_key, now)),
    { policy: 'flag', runId: head.run_id, minConfidence, storesAlways: true },
  )
  const found = peersOf(judged, settlement)
  if (settlement.status === null) throw shielded(head, found)
  const noted = await notedAgainst(head, context)
  if (noted.pinned) throw shielded(head, noted.peers)
  const isContradicted = settlement.verdict === 'conflict' || noted.peers.length > 0
  const verdict = isContradicted ? 'conflict' : settlement.verdict
  const against = settlement.verdict === 'conflict' ? found : []
  const peers = isContradicted
    ? [...against, ...noted.peers.filter((peer) => !against.some((one) => one.memory_id === peer.memory_id))].slice(0, MOST_PEERS)
    : found
  const holder = verdict === 'duplicate' ? settlement.holder : null
  const accepted = {
    status: isContradicted ? 'conflicted' : settlement.status,
    conflict_verdict: head.conflict_verdict === '' && assessment === UNJUDGED ? '' : verdict,
    duplicate_of: holder?.memoryId ?? '',
    canonical_key: holder?.memoryKey ?? '',
    actor,
  }
  if (dryRun) return { head: { ...head, ...accepted }, verdict, peers }
  // Of what it repeated on trial, what it still repeats is opened anew.
  await sql`UPDATE loom.memory_pair SET state = 'stale' WHERE org = ${head.org} AND row_id = ${head.memory_id}
    AND state = 'open' AND kind = 'duplicate'`.execute(tx)
  const after = await reviseRow(head, accepted, op, context)
  await openSettledPairs(settlement, judged, after, context, 'proposal')
  return { head: after, verdict, peers }
}
