import { sql } from 'kysely'
import type { Queryable } from '../../db/database.ts'

/** A B-tree of nothing has one page, which says so. */
const EMPTY_INDEX_BYTES = 8192

/**
 * Names of the tables of schema `loom`, those left out that never held a row since they were last rewritten. All of them,
 * whatever an erasure touched: rows that went long before it (a delivered event, a sent change, an older form of a row)
 * left their bytes as well.
 */
export async function storedTables(db: Queryable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT c.relname::text AS name FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = 'loom' AND c.relkind = 'r' AND (pg_relation_size(c.oid) > 0
      OR (c.reltoastrelid <> 0 AND pg_relation_size(c.reltoastrelid) > 0)
      OR EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = c.oid AND pg_relation_size(i.indexrelid) > ${EMPTY_INDEX_BYTES}))
    ORDER BY c.relname`.execute(db)
  return rows.map(({ name }) => name)
}

/** Size of a database in bytes, its log left out. */
export async function sizeOf(db: Queryable): Promise<number> {
  const { rows } = await sql<{ bytes: bigint }>`SELECT pg_database_size(current_database()) AS bytes`.execute(db)
  return Number(rows[0]?.bytes ?? 0n)
}
