import type { WriteContext } from '../handler.ts'
import { carrySources } from '../store/attached.ts'
import { memoryAudit, writeAudit } from '../store/audit.ts'
import { writeVersion, type Head, type Retirement } from '../store/memories.ts'
import { provenanceOf } from '../store/provenance.ts'
import { announce } from './revise-row.ts'

/** The row that takes the place of another, and why. */
export interface Retirer {
  readonly head: Pick<Head, 'memory_id' | 'memory_key' | 'version'>
  readonly reason: string
  readonly confidence: number
  /** By default told from the keys: an older row of the key, or a peer that the write updates; of a pushed write, sync. */
  readonly cause?: Retirement['retired_cause']
}

/**
 * Retires a row because a newer fact replaces it: version +1, status superseded, an audit row of its own and no event
 * of the webhooks. memory.restore undoes it.
 */
export async function supersede(head: Head, by: Retirer, op: string, context: WriteContext): Promise<void> {
  const { tx, now, parts } = context
  const retired: Head = {
    ...head,
    version: parts.versions.next(head.version),
    status: 'superseded',
    superseded_by: by.head.memory_id,
    superseded_at: now,
    invalid_at: now,
    updated_at: now,
    rev: head.rev + 1n,
    ...(parts.host === 'server' && { server_recorded_at: now }),
  }
  await writeVersion(tx, retired, op, {
    retired_cause: by.cause ?? (provenanceOf(tx) ? 'sync' : by.head.memory_key === head.memory_key ? 'newest_wins' : 'refines'),
    retired_reason: by.reason,
    retired_confidence: by.confidence,
    retired_by_version: by.head.version,
  })
  await carrySources(tx, retired, head.version)
  await writeAudit(tx, [memoryAudit(retired, { op, at: now, actor: context.actor, requestId: context.caller.requestId })])
  await announce(retired, context)
}
