import { analyse } from '../../domain/judge/analyse.ts'
import { wordOverlap } from '../../domain/judge/overlap.ts'
import type { Policy } from '../../domain/verdict/settle.ts'
import type { WriteContext } from '../handler.ts'
import { withinBound, type Identity } from '../identity.ts'
import { agreedWith } from '../store/pairs.ts'
import { claimOfHead } from '../store/head-claim.ts'
import { headsOfKey, type Head } from '../store/memories.ts'
import { analysisOf, type Content } from './content.ts'
import type { Judged } from './judging.ts'
import { isLive, lockOf } from './state.ts'

/** Where a claim is written, and what it says. */
export interface Writing {
  readonly identity: Identity
  readonly content: Content
  /** Head before the write, or null. */
  readonly head: Head | null
  readonly policy: Policy
}

const REASON = 'An older value of the same key, written under another agent or session.'

/** Rows of the key and user under other identities that newest_wins retires: neither guarded nor duplicates (VER015). */
async function olderOfKey({ identity, content, head }: Writing, context: WriteContext): Promise<Head[]> {
  const { tx, now, caller } = context
  const rows = await headsOfKey(tx, identity.org, identity.namespace, content.key, { user_id: identity.user_id })
  return rows.filter(
    (row) =>
      row.memory_id !== head?.memory_id &&
      isLive(row, now) &&
      row.status !== 'duplicate' &&
      !row.pinned &&
      lockOf(row, now) === null &&
      withinBound(caller, row),
  )
}

/**
 * The peers that a settlement weighs: those judged, less the ones that were agreed to stand beside this content, and
 * under newest_wins the older rows of the key besides. A row that says the same stays a duplicate's holder.
 */
export async function peersToSettle(
  judged: readonly Judged[],
  writing: Writing,
  minConfidence: number,
  context: WriteContext,
): Promise<Judged[]> {
  const { content, head, policy } = writing
  const agreed = await agreedWith(
    context.tx,
    writing.identity.org,
    { id: head?.memory_id ?? '', sha256: content.sha256 },
    judged.map((peer) => ({ id: peer.head.memory_id, sha256: peer.head.content_sha256 })),
  )
  const standing = judged.filter((peer) => !agreed.has(peer.head.memory_id))
  if (policy !== 'newest_wins') return standing
  const older = new Map((await olderOfKey(writing, context)).map((row) => [row.memory_id, row]))
  if (older.size === 0) return standing
  const own = analysisOf(content)
  for (const peer of standing) {
    const { finding, confidence } = peer.judgement
    const sure = confidence >= minConfidence
    if (finding === 'same' || (sure && finding !== 'clear')) older.delete(peer.head.memory_id)
  }
  const retired = [...older.values()].map((row): Judged => {
    const claim = claimOfHead(row)
    const similarity = Math.min(1, wordOverlap(own, analyse({ key: row.memory_key, text: claim })))
    return { head: row, claim, similarity, judgement: { finding: 'refines', confidence: 1, reason: REASON, rules: ['older-of-key'] } }
  })
  const rest = standing.filter((peer) => !older.has(peer.head.memory_id))
  return [...rest, ...retired].sort((a, b) => b.similarity - a.similarity)
}
