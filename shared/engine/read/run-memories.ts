import { sql } from 'kysely'
import type { Caller } from '../caller.ts'
import type { Queryable } from '../db/database.ts'
import type { Head } from '../store/memories.ts'
import { seenBy, type Run } from '../store/runs.ts'

/** The rows of each key that a run could have used, whatever their status; a key that no row holds is not in it. */
export type RunRows = ReadonlyMap<string, readonly Head[]>

const FIELDS = ['agent', 'user_id', 'session_id'] as const

/**
 * Rows by key, in the run's namespace: that of the run's own identity where there is one, else every row of the key that
 * the caller may see, as a read by its agent would have found it.
 */
export async function rowsOfKeys(
  db: Queryable,
  run: Pick<Run, 'org' | 'namespace' | (typeof FIELDS)[number]>,
  keys: readonly string[],
  caller: Caller,
): Promise<RunRows> {
  if (keys.length === 0) return new Map()
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m WHERE m.org = ${run.org} AND m.namespace = ${run.namespace}
    AND m.memory_key = any(${[...keys]}::text[]) AND m.erased_by = '' AND ${seenBy(caller, 'm')} ORDER BY m.version DESC`.execute(db)
  const byKey = new Map<string, Head[]>()
  for (const row of rows) byKey.set(row.memory_key, [...(byKey.get(row.memory_key) ?? []), row])
  for (const [key, held] of byKey) {
    const own = held.find((row) => FIELDS.every((field) => row[field] === run[field]))
    if (own) byKey.set(key, [own])
  }
  return byKey
}
