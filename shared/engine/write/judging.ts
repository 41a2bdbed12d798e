import type { Peer } from '../../contract/common.ts'
import { firstCharacters, claimText } from '../../domain/claim/claim-text.ts'
import type { Json } from '../../domain/claim/json.ts'
import { parseJson } from '../../contract/json.ts'
import { analyse, type Analysis } from '../../domain/judge/analyse.ts'
import { judge, needsRelation, type Judgement } from '../../domain/judge/judge.ts'
import { wordOverlap } from '../../domain/judge/overlap.ts'
import type { Tx } from '../db/database.ts'
import { boundOf } from '../identity.ts'
import type { PrepareContext } from '../handler.ts'
import { activeWithCanonical, headsById, type Head } from '../store/memories.ts'
import type { Content } from './content.ts'
import { isLive, lockOf } from './state.ts'

/** One peer with what the judge found, before the namespace's policy is applied. */
export interface Judged {
  readonly head: Head
  readonly claim: string
  readonly similarity: number
  readonly judgement: Judgement
}

/** What the namespace holds against a claim, nearest first. */
export interface Assessment {
  readonly judged: readonly Judged[]
}

export const UNJUDGED: Assessment = { judged: [] }

export interface Candidate {
  readonly org: string
  readonly namespace: string
  readonly content: Content
  readonly vector: Float32Array | null
  readonly memoryType: string
  readonly userId: string
  /** Own row, left out. */
  readonly memoryId: string
}

/** Peers that are compared at all, and those that the relation model reads (6 to 11 ms each). */
const MOST_PEERS = 24
const MOST_RELATED = 4
const EXCERPT = 200

const analyses = new Map<string, Analysis>()
const MOST_ANALYSES = 5000

/** The analysis of a stored claim, kept by version: a claim that many writes meet is read once. */
function analysisOf(head: Head, claim: string): Analysis {
  const name = `${head.memory_id}/${head.version}`
  const known = analyses.get(name)
  if (known) return known
  const made = analyse({ key: head.memory_key, text: claim })
  if (analyses.size >= MOST_ANALYSES) analyses.clear()
  analyses.set(name, made)
  return made
}

function mayStandBeside(head: Head, candidate: Candidate, context: PrepareContext): boolean {
  const bound = boundOf(context.caller)
  return (
    head.status === 'active' &&
    isLive(head, context.now) &&
    head.memory_id !== candidate.memoryId &&
    head.memory_type === candidate.memoryType &&
    head.sensitivity !== 'high' &&
    (head.user_id === '-' || head.user_id === candidate.userId) &&
    (bound.user_id === undefined || head.user_id === bound.user_id) &&
    (bound.session_id === undefined || head.session_id === bound.session_id)
  )
}

async function gather(candidate: Candidate, context: PrepareContext): Promise<{ heads: Head[]; cosines: Map<string, number> }> {
  const { org, namespace } = candidate
  const near = context.parts.index.peers({
    org,
    namespace,
    text: candidate.content.indexed,
    vector: candidate.vector,
    accept: (doc) =>
      doc.status === 'active' &&
      doc.memoryType === candidate.memoryType &&
      doc.memoryId !== candidate.memoryId &&
      (doc.userId === '-' || doc.userId === candidate.userId),
    limit: MOST_PEERS,
  })
  const [byId, equal] = await Promise.all([
    headsById(
      context.db,
      org,
      near.map((peer) => peer.memoryId),
    ),
    activeWithCanonical(context.db, org, namespace, candidate.content.canonicalSha256),
  ])
  for (const head of equal) byId.set(head.memory_id, head)
  const heads = [...byId.values()].filter((head) => mayStandBeside(head, candidate, context))
  return { heads, cosines: new Map(near.map((peer) => [peer.memoryId, peer.similarity])) }
}

/**
 * Judges a claim against the active rows of its namespace: those near it by vector or words, and those whose canonical
 * text is equal. The relation model reads the few that pass the gate.
 */
export async function assess(candidate: Candidate, context: PrepareContext): Promise<Assessment> {
  const { heads, cosines } = await gather(candidate, context)
  if (heads.length === 0) return UNJUDGED
  const { org, namespace } = candidate
  const { conflict_threshold: threshold } = await context.parts.settings.get(context.db, org, namespace)
  const own = analyse({ key: candidate.content.key, text: candidate.content.claim })
  const met = heads
    .map((head) => {
      const claim = claimText(parseJson(head.value ?? 'null') as Json)
      const analysis = analysisOf(head, claim)
      const equal = head.canonical_sha256 === candidate.content.canonicalSha256
      const similarity = equal ? 1 : Math.max(cosines.get(head.memory_id) ?? 0, wordOverlap(own, analysis))
      return { head, claim, analysis, similarity: Math.min(1, Math.max(0, similarity)), equal }
    })
    .filter((peer) => peer.equal || peer.similarity >= threshold)
    .sort((a, b) => b.similarity - a.similarity)
  const related = await relate(
    candidate.content.claim,
    met.filter((peer) => needsRelation(own, peer.analysis, peer.similarity)),
    context,
  )
  const judged = met.map((peer) => {
    const judgement = judge(own, peer.analysis, { similarity: peer.similarity, relation: related.get(peer.head.memory_id) ?? null })
    return { head: peer.head, claim: peer.claim, similarity: peer.similarity, judgement: levelled(judgement, peer.equal) }
  })
  return { judged: judged.filter((peer) => peer.judgement.finding !== 'clear') }
}

/** Only the canonical text of the whole value merges: an object whose `claim` alone is equal restates. */
function levelled(judgement: Judgement, equal: boolean): Judgement {
  return judgement.finding === 'same' && !equal ? { ...judgement, finding: 'restates' } : judgement
}

async function relate(claim: string, peers: readonly { head: Head; claim: string }[], context: PrepareContext) {
  const asked = peers.slice(0, MOST_RELATED)
  if (asked.length === 0) return new Map<string, never>()
  const model = context.parts.models.relation
  try {
    if (!model) throw new Error('the relation model is not loaded')
    const relations = await model.relate(asked.map((peer) => ({ a: claim, b: peer.claim })))
    return new Map(asked.map((peer, at) => [peer.head.memory_id, relations[at] ?? null]))
  } catch {
    context.degraded.add('judge_model')
    return new Map<string, never>()
  }
}

const RELATIONS = { same: 'same', restates: 'restates', refines: 'refines', contradicts: 'contradicts', clear: 'refines' } as const

/** A judged row as an answer shows it. */
export function peerOf(judged: Judged, pinned: boolean): Peer {
  return {
    memory_key: judged.head.memory_key,
    memory_id: judged.head.memory_id,
    excerpt: firstCharacters(judged.claim, EXCERPT),
    similarity: judged.similarity,
    relation: pinned ? 'pinned' : RELATIONS[judged.judgement.finding],
    reason: judged.judgement.reason,
    confidence: judged.judgement.confidence,
    status: judged.head.status as Peer['status'],
  }
}

/** What the policy table needs to know of a judged row. */
export function factsOf(judged: Judged, key: string, now: Date) {
  return {
    memoryId: judged.head.memory_id,
    memoryKey: judged.head.memory_key,
    finding: judged.judgement.finding,
    confidence: judged.judgement.confidence,
    pinned: judged.head.pinned,
    locked: lockOf(judged.head, now) !== null,
    sameKey: judged.head.memory_key === key,
    runId: judged.head.run_id,
  }
}

/** Peers that still are what they were when they were judged. */
export async function stillStanding(assessment: Assessment, org: string, tx: Tx): Promise<Judged[]> {
  const heads = await headsById(
    tx,
    org,
    assessment.judged.map((peer) => peer.head.memory_id),
  )
  return assessment.judged.filter((peer) => {
    const now = heads.get(peer.head.memory_id)
    return now !== undefined && now.version === peer.head.version && now.status === 'active'
  })
}
