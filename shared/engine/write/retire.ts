import type { WriteContext } from '../handler.ts'
import { memoryAudit, writeAudit } from '../store/audit.ts'
import { indexedRowsOf } from '../store/index-rows.ts'
import { writeVersion, type Head } from '../store/memories.ts'

/**
 * Retires a row because a newer fact replaces it: version +1, status superseded, an audit row of its own and no event
 * of the webhooks. memory.restore undoes it.
 */
export async function supersede(head: Head, byMemoryId: string, op: string, context: WriteContext): Promise<void> {
  const { tx, now, parts } = context
  const retired: Head = {
    ...head,
    version: parts.versions.next(head.version),
    status: 'superseded',
    superseded_by: byMemoryId,
    superseded_at: now,
    invalid_at: now,
    updated_at: now,
    ...(parts.host === 'server' && { server_recorded_at: now }),
  }
  await writeVersion(tx, retired, op)
  await writeAudit(tx, [memoryAudit(retired, { op, at: now, actor: context.actor, requestId: context.caller.requestId })])
  const [row] = await indexedRowsOf(tx, head.org, [retired], parts.models.embedder?.id ?? null)
  context.afterCommit(() => (row ? parts.index.upsert(row) : parts.index.remove(head.memory_id)))
  context.emit({ type: 'memory.changed', org: head.org, namespace: head.namespace, memory_key: head.memory_key, memory_id: head.memory_id })
}
