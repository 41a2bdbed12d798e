import { UNGUARDED } from '../db/columns.ts'
import type { WriteContext } from '../handler.ts'
import { carrySources } from '../store/attached.ts'
import { memoryAudit, writeAudit } from '../store/audit.ts'
import { writeVersion, type Head } from '../store/memories.ts'
import { closePairsOf } from '../store/pairs.ts'
import { madeAt } from '../store/provenance.ts'

/**
 * Retires a row: version +1 with status tombstoned. The value stays in the row and its history for memory.restore.
 * Lock and char_limit end; the pin and a lock that still runs are kept aside by the version before, and come back.
 */
export async function tombstone(head: Head, op: string, context: WriteContext): Promise<Head> {
  const { tx, now, actor, parts } = context
  const dead: Head = {
    ...head,
    ...(head.lock_until === null || head.lock_until <= now ? UNGUARDED : {}),
    pinned: head.pinned,
    char_limit: null,
    version: parts.versions.next(head.version),
    status: 'tombstoned',
    tombstoned_at: now,
    updated_at: madeAt(tx, head, now),
    actor,
    rev: head.rev + 1n,
    ...(parts.host === 'server' && { server_recorded_at: now }),
  }
  await writeVersion(tx, dead, op)
  await carrySources(tx, dead, head.version)
  if (await closePairsOf(tx, head.org, head.memory_id)) context.afterCommit(() => parts.wake('conflict_resolver'))
  await writeAudit(tx, [memoryAudit(dead, { op, at: now, actor, requestId: context.caller.requestId })])
  context.afterCommit(() => parts.index.remove(head.memory_id))
  context.changed({ op, kind: 'tombstoned', before: head, after: dead })
  context.emit({ type: 'memory.changed', org: head.org, namespace: head.namespace, memory_key: head.memory_key, memory_id: head.memory_id })
  return dead
}
