import type { Peer } from '../../contract/common.ts'
import { firstCharacters } from '../../domain/claim/claim-text.ts'
import type { Analysis } from '../../domain/judge/analyse.ts'
import type { Judgement } from '../../domain/judge/judge.ts'
import { wordOverlap } from '../../domain/judge/overlap.ts'
import type { Tx } from '../db/database.ts'
import { boundOf } from '../identity.ts'
import type { PrepareContext } from '../handler.ts'
import type { HotIndex, IndexedDoc, Peer as NearPeer, PeersBegun, WithoutVector } from '../index/types.ts'
import { activeWithCanonical, headsById, type Head } from '../store/memories.ts'
import { analysisOf, type Content } from './content.ts'
import { peerClaims } from './peer-claims.ts'
import { lockOf } from './state.ts'
import { judgeMet } from './weighing.ts'

/** One peer with what the judge found, before the namespace's policy is applied. */
export interface Judged {
  readonly head: Head
  readonly claim: string
  readonly similarity: number
  readonly judgement: Judgement
  /** Of a dry run: a row that an earlier entry of the call would have made. */
  readonly isRehearsed?: true
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
  /** Milliseconds since 1970: only peers written since are looked at. */
  readonly peersSince?: number
}

/** Peers that are compared at all. */
export const MOST_PEERS = 24
const EXCERPT = 200
/** Words shared, by rarity, from which a peer may reach the threshold though its vector does not. */
const SHARED_WORDS = 0.3

/** Whether a row may be weighed against a claim by this caller. */
function standsBeside(candidate: WithoutVector<Candidate>, context: PrepareContext): (doc: IndexedDoc) => boolean {
  const bound = boundOf(context.caller)
  const now = context.now.getTime()
  return (doc) =>
    doc.status === 'active' &&
    doc.memoryType === candidate.memoryType &&
    (candidate.peersSince === undefined || doc.updatedAt >= candidate.peersSince) &&
    doc.memoryId !== candidate.memoryId &&
    (doc.userId === '-' || doc.userId === candidate.userId) &&
    (doc.expiresAt === null || doc.expiresAt > now) &&
    (doc.validTo === null || doc.validTo > now) &&
    (bound.user_id === undefined || doc.userId === bound.user_id) &&
    (bound.session_id === undefined || doc.sessionId === bound.session_id)
}

interface Near {
  readonly memoryId: string
  readonly version: bigint
  readonly similarity: number
  /** The canonical text of the whole value is the candidate's. */
  readonly equal: boolean
}

/**
 * Judges a claim against the active rows of its namespace: those near it by vector or words, and those whose canonical
 * text is equal. The relation model reads the few that pass the gate.
 */
export async function assess({ vector, ...candidate }: Candidate, context: PrepareContext): Promise<Assessment> {
  const equal = await activeWithCanonical(context.db, candidate.org, candidate.namespace, candidate.content.canonicalSha256)
  return (await beginAssessing(candidate, equal, context))(vector)
}

/**
 * Begins to judge a claim while its vector is made: what its words find is looked up, read and taken apart. The
 * answer is of the index as it is when the vector is there.
 * @param equal ids of the active rows whose canonical text is the claim's
 */
export async function beginAssessing(
  candidate: WithoutVector<Candidate>,
  equal: readonly string[],
  context: PrepareContext,
): Promise<(vector: Float32Array | null) => Promise<Assessment>> {
  const { org, namespace, content } = candidate
  const { conflict_threshold: threshold } = await context.parts.settings.get(context.db, org, namespace)
  await context.parts.follower.catchUp(org)
  const accept = standsBeside(candidate, context)
  const peersIn = (held: HotIndex): PeersBegun => held.beginPeers({ org, namespace, text: content.indexed, accept, limit: MOST_PEERS })
  const { index } = context.parts
  const begun = peersIn(index)
  const own = analysisOf(content)

  /** Of rows near by vector or words, and of those whose canonical text is equal whatever their vectors say. */
  const gather = (peers: readonly NearPeer[]): Near[] => {
    const found = new Map<string, Near>()
    const add = (memoryId: string, similarity: number): void => {
      const doc = context.parts.index.get(memoryId)
      if (doc && accept(doc)) found.set(memoryId, { memoryId, version: doc.version, similarity, equal: equal.includes(memoryId) })
    }
    for (const peer of peers) if (peer.similarity >= threshold || peer.coverage >= SHARED_WORDS) add(peer.memoryId, peer.similarity)
    for (const memoryId of equal) add(memoryId, 1)
    return [...found.values()]
  }
  // Kept as read: the judge finds them there.
  await peerClaims(context.db, org, gather(begun.byWords))
  return async (vector) => {
    // An index filled anew takes the place of the one before.
    const near = gather((context.parts.index === index ? begun : peersIn(context.parts.index)).answer(vector))
    return near.length === 0 ? UNJUDGED : judgeNear(candidate, own, near, threshold, context)
  }
}

async function judgeNear(
  candidate: WithoutVector<Candidate>,
  own: Analysis,
  near: readonly Near[],
  threshold: number,
  context: PrepareContext,
): Promise<Assessment> {
  const { org } = candidate
  const claims = await peerClaims(context.db, org, near)
  const met = near
    .flatMap((peer) => {
      const read = claims.get(peer.memoryId)
      if (!read) return []
      const similarity = peer.equal ? 1 : Math.max(peer.similarity, wordOverlap(own, read.analysis))
      return { ...peer, ...read, similarity: Math.min(1, similarity) }
    })
    .filter((peer) => peer.equal || peer.similarity >= threshold)
    .sort((a, b) => b.similarity - a.similarity)
  const found = (await judgeMet(candidate.content.claim, own, met, context))
    .map((peer) => ({ ...peer, judgement: levelled(peer.judgement, peer.equal) }))
    .filter((peer) => peer.judgement.finding !== 'clear')
  const heads = await headsById(
    context.db,
    org,
    found.map((peer) => peer.memoryId),
  )
  return {
    judged: found.flatMap(({ memoryId, claim, similarity, judgement }) => {
      const head = heads.get(memoryId)
      return head ? { head, claim, similarity, judgement } : []
    }),
  }
}

/** Only the canonical text of the whole value merges: an object whose `claim` alone is equal restates. */
export function levelled(judgement: Judgement, equal: boolean): Judgement {
  return judgement.finding === 'same' && !equal ? { ...judgement, finding: 'restates' } : judgement
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
    vaguer: judged.judgement.vaguer === true,
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
    if (peer.isRehearsed) return true
    const now = heads.get(peer.head.memory_id)
    return now !== undefined && now.version === peer.head.version && now.status === 'active'
  })
}
