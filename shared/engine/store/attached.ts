import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { Head } from './memories.ts'

/** What rows show of tables beside their own: categories of their key, and the rows they were built from. */
export interface Attached {
  readonly categories: readonly string[]
  readonly derivedFrom: readonly string[]
}

export const NOTHING_ATTACHED: Attached = { categories: [], derivedFrom: [] }

/** By memory_id: live category links of the key, as registered, and the sources of the head's version. */
export async function attachedOf(db: Queryable, org: string, memoryIds: readonly string[]): Promise<Map<string, Attached>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<{ memory_id: string; categories: string[]; sources: string[] }>`
    SELECT m.memory_id,
      ARRAY(SELECT c.category FROM loom.memory_category k
        JOIN loom.namespace_category c ON c.org = k.org AND c.namespace = k.namespace AND c.category_key = k.category_key
        WHERE k.org = m.org AND k.namespace = m.namespace AND k.memory_key = m.memory_key AND k.rescinded_at IS NULL
        ORDER BY c.category_key) AS categories,
      ARRAY(SELECT s.source_id FROM loom.memory_summary s
        WHERE s.org = m.org AND s.memory_id = m.memory_id AND s.version = m.version ORDER BY s.source_id) AS sources
    FROM loom.memory m WHERE m.org = ${org} AND m.memory_id = any(${[...memoryIds]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, { categories: row.categories, derivedFrom: row.sources }]))
}

/** A version that only sets a status is built from what the one before was. */
export async function carrySources(tx: Tx, head: Head, from: bigint): Promise<void> {
  if (head.source_class !== 'derived' && head.memory_type !== 'profile') return
  await sql`INSERT INTO loom.memory_summary (org, memory_id, version, source_id)
    SELECT org, memory_id, ${head.version}::int8, source_id FROM loom.memory_summary
    WHERE org = ${head.org} AND memory_id = ${head.memory_id} AND version = ${from}::int8 ON CONFLICT DO NOTHING`.execute(tx)
}

/** What a version was built from: redacting one of them scrubs it too. */
export async function addSources(tx: Tx, org: string, memoryId: string, version: bigint, sources: readonly string[]): Promise<void> {
  if (sources.length === 0) return
  await tx
    .insertInto('memory_summary')
    .values(sources.map((source_id) => ({ org, memory_id: memoryId, version, source_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
