import { JUDGE_VERSION } from '../../domain/judge/version.ts'
import type { WriteContext } from '../handler.ts'
import { headById, type Head } from '../store/memories.ts'
import { agreePair } from '../store/pairs.ts'

/** A restored row stands beside the one that had retired it: the pair counts as settled, and is not raised again. */
export async function agreeWithRetirer(retired: Head, restored: Head, context: WriteContext): Promise<void> {
  if (retired.superseded_by === '') return
  const by = await headById(context.tx, retired.org, retired.superseded_by)
  if (!by) return
  const pair = {
    org: restored.org,
    namespace: restored.namespace,
    rowId: by.memory_id,
    peerId: restored.memory_id,
    kind: 'conflict' as const,
    relation: 'refines',
    similarity: 0,
    reason: 'The older of the two was retired and restored.',
    confidence: 1,
    unsure: false,
    judgeVersion: JUDGE_VERSION,
    at: context.now,
    origin: 'write' as const,
    rowSha256: by.content_sha256,
    peerSha256: restored.content_sha256,
  }
  await agreePair(context.tx, pair, { resolution: 'restored', by: context.actor, at: context.now, undo: '' })
}
