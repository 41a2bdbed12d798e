import type { WriteContext } from '../handler.ts'
import { carrySources } from '../store/attached.ts'
import { memoryAudit, writeAudit, type AuditEntry } from '../store/audit.ts'
import { indexedRowsOf } from '../store/index-rows.ts'
import { writeVersion, type Head } from '../store/memories.ts'
import { madeAt } from '../store/provenance.ts'

/** After the commit: the search index holds the row as the store now does, and watchers hear of it. */
export async function announce(head: Head, context: WriteContext): Promise<void> {
  const { tx, parts } = context
  const [row] = await indexedRowsOf(tx, head.org, [head], parts.models.embedder?.id ?? null)
  context.afterCommit(() => (row ? parts.index.upsert(row) : parts.index.remove(head.memory_id)))
  context.emit({ type: 'memory.changed', org: head.org, namespace: head.namespace, memory_key: head.memory_key, memory_id: head.memory_id })
}

/** The audit row of a change to a memory, as this call makes it. */
export function auditOf(head: Head, op: string, context: WriteContext): AuditEntry {
  return memoryAudit(head, { op, at: context.now, actor: context.actor, requestId: context.caller.requestId })
}

/**
 * A new version of a row that keeps its claim and changes only what is named: version +1, one audit row. Not judged:
 * the verdict of the claim stands.
 */
export async function reviseRow(head: Head, changes: Partial<Head>, op: string, context: WriteContext): Promise<Head> {
  const { tx, now, parts } = context
  const revised: Head = {
    ...head,
    updated_at: madeAt(tx, head, now),
    ...(parts.host === 'server' && { server_recorded_at: now }),
    ...changes,
    version: parts.versions.next(head.version),
    rev: head.rev + 1n,
  }
  await writeVersion(tx, revised, op)
  await carrySources(tx, revised, head.version)
  await writeAudit(tx, [auditOf(revised, op, context)])
  context.changed({ op, kind: 'revised', before: head, after: revised })
  await announce(revised, context)
  return revised
}
