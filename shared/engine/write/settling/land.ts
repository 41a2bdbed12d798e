import type { Policy } from '../../../domain/verdict/settle.ts'
import { JUDGE_VERSION } from '../../../domain/judge/version.ts'
import type { WriteContext } from '../../handler.ts'
import { headsById, lockKeys, type Head } from '../../store/memories.ts'
import { agreedWith, openPairs, pairById, pairId } from '../../store/pairs.ts'
import type { Judged } from '../judging.ts'
import { supersede } from '../retire.ts'
import { reviseRow } from '../revise-row.ts'
import { isLive, lockOf } from '../state.ts'

export const RESOLVER_OP = 'worker:conflict_resolver'

export interface Landing {
  readonly policy: Policy
  readonly minConfidence: number
}

/** Both rows as they were judged, the later one first; null when one has moved on or is no longer active. */
async function asJudged(seen: Head, judged: Judged, context: WriteContext): Promise<[Head, Head] | null> {
  const heads = await headsById(context.tx, seen.org, [seen.memory_id, judged.head.memory_id])
  const [row, peer] = [heads.get(seen.memory_id), heads.get(judged.head.memory_id)]
  const still = (now: Head | undefined, then: Head): now is Head =>
    now !== undefined && now.version === then.version && now.status === 'active' && isLive(now, context.now)
  if (!still(row, seen) || !still(peer, judged.head)) return null
  return row.version > peer.version ? [row, peer] : [peer, row]
}

/**
 * Lands what two writes did not see of each other: under newest_wins the older of a sure pair is retired; else the
 * later row is flagged and the pair opened. A guarded row is left as it is.
 */
export async function landFinding(
  seen: Head,
  judged: Judged,
  { policy, minConfidence }: Landing,
  context: WriteContext,
): Promise<'retired' | 'flagged' | null> {
  const { tx, parts, now } = context
  const name = (head: Head): string => `${head.org}/${head.namespace}/${head.memory_key}`
  await lockKeys(tx, parts.database.kind, [name(seen), name(judged.head)])
  const both = await asJudged(seen, judged, context)
  if (!both) return null
  const [later, older] = both
  const agreed = await agreedWith(tx, seen.org, { id: later.memory_id, sha256: later.content_sha256 }, [
    { id: older.memory_id, sha256: older.content_sha256 },
  ])
  const known = await pairById(tx, seen.org, pairId(later.memory_id, older.memory_id))
  if (agreed.size > 0 || known?.state === 'open') return null
  const { finding, confidence, reason } = judged.judgement
  const isGuarded = (head: Head): boolean => head.pinned || lockOf(head, now) !== null
  if (policy === 'newest_wins' && confidence >= minConfidence && !isGuarded(older)) {
    await supersede(older, { head: later, reason, confidence, cause: 'resolver' }, RESOLVER_OP, context)
    return 'retired'
  }
  if (finding !== 'contradicts') return null
  const [row, peer] = isGuarded(later) && !isGuarded(older) ? [older, later] : [later, older]
  const flagged = isGuarded(row) ? row : await reviseRow(row, { status: 'conflicted' }, RESOLVER_OP, context)
  await openPairs(tx, [
    {
      org: row.org,
      namespace: row.namespace,
      rowId: row.memory_id,
      peerId: peer.memory_id,
      kind: 'conflict',
      relation: finding,
      similarity: judged.similarity,
      reason,
      confidence,
      unsure: confidence < minConfidence,
      judgeVersion: JUDGE_VERSION,
      at: now,
      origin: 'resolver',
      rowSha256: flagged.content_sha256,
      peerSha256: peer.content_sha256,
    },
  ])
  return 'flagged'
}
