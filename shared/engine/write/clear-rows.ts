import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { WriteContext } from '../handler.ts'
import type { Identity } from '../identity.ts'
import { writeAudit } from '../store/audit.ts'
import { lockKeys, type Head } from '../store/memories.ts'
import { leaveSummaries } from './delete-row.ts'
import { auditOf } from './revise-row.ts'
import { isLive, lockOf } from './state.ts'

export interface Subject {
  readonly type: 'agent' | 'user'
  readonly name: string
}

/** Rows of one agent or one user that are not tombstones, of any other status, in order of memory_id. */
export async function headsOfSubject(
  db: Queryable,
  { org, namespace }: Identity,
  subject: Subject,
  after: string,
  limit: number,
): Promise<Head[]> {
  return db
    .selectFrom('memory')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where(subject.type === 'agent' ? 'agent' : 'user_id', '=', subject.name)
    .where('status', '<>', 'tombstoned')
    .where('erased_by', '=', sql.lit(''))
    .where('memory_id', '>', after)
    .orderBy('memory_id')
    .limit(limit)
    .execute()
}

/**
 * Tombstones rows under the version number that they have (CHG054): the history keeps the version as it was, and when
 * it ended. Locked rows stay; answers those. Rows that changed since they were read are taken as they now are.
 */
export async function clearRows(read: readonly Head[], op: string, context: WriteContext): Promise<Head[]> {
  const { tx, now, parts } = context
  const [first] = read
  if (!first) return []
  const names = new Set(read.map((head) => `${head.org}/${head.namespace}/${head.memory_key}`))
  await lockKeys(tx, parts.database.kind, [...names])
  const heads = await tx
    .selectFrom('memory')
    .selectAll()
    .where('org', '=', first.org)
    .where('memory_id', '=', sql<string>`any(${read.map((head) => head.memory_id)}::text[])`)
    .where('status', '<>', 'tombstoned')
    .where('erased_by', '=', sql.lit(''))
    .execute()
  const locked = heads.filter((head) => isLive(head, now) && lockOf(head, now) !== null)
  const going = heads.filter((head) => !locked.includes(head))
  await bury(going, context)
  const sources = await sourcesAmong(going, context)
  for (const head of going) if (sources.has(head.memory_id)) await leaveSummaries(head, op, context)
  await writeAudit(
    tx,
    going.map((head) => auditOf(head, op, context)),
  )
  context.afterCommit(() => {
    for (const head of going) parts.index.remove(head.memory_id)
    parts.wake('conflict_resolver')
  })
  for (const head of going) context.changed({ op, kind: 'cleared', before: head, after: { ...head, status: 'tombstoned' } })
  for (const { org, namespace, memory_key, memory_id } of going)
    context.emit({ type: 'memory.changed', org, namespace, memory_key, memory_id })
  return locked
}

async function sourcesAmong(heads: readonly Head[], { tx }: WriteContext): Promise<Set<string>> {
  const { rows } = await sql<{ source_id: string }>`SELECT DISTINCT source_id FROM loom.memory_summary
    WHERE org = ${heads[0]?.org ?? ''} AND source_id = any(${heads.map((head) => head.memory_id)}::text[])`.execute(tx)
  return new Set(rows.map((row) => row.source_id))
}

async function bury(heads: readonly Head[], { tx, now }: WriteContext): Promise<void> {
  const [first] = heads
  if (!first) return
  const { org } = first
  const ids = heads.map((head) => head.memory_id)
  await sql`UPDATE loom.memory_version v SET tombstoned_at = ${now} FROM loom.memory m
    WHERE m.org = ${org} AND m.memory_id = any(${ids}::text[]) AND v.org = m.org AND v.memory_id = m.memory_id AND v.version = m.version`.execute(
    tx,
  )
  await tx
    .updateTable('memory')
    .set({ status: 'tombstoned', tombstoned_at: now, char_limit: null, rev: sql<bigint>`rev + 1` })
    .where('org', '=', org)
    .where('memory_id', '=', sql<string>`any(${ids}::text[])`)
    .execute()
  await sql`UPDATE loom.memory_pair SET state = 'stale' WHERE org = ${org} AND state = 'open' AND row_id = any(${ids}::text[])`.execute(tx)
}
