import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'
import { appliedVersion } from '../db/migrate.ts'
import { openUnmigrated } from '../db/pglite.ts'

/** What a store holds, as far as a backup tells of it. */
export interface Inside {
  readonly schemaVersion: number
  /** The highest erasure that it knows of. */
  readonly erasureSeq: number
}

/**
 * Opens the copy of a store and reads every page of its tables, whose checksums Postgres looks at. The copy is closed in
 * order, so that opening it once more has nothing to recover.
 * @throws what Postgres says of a copy that is not whole
 */
export async function lookInside(folder: string): Promise<Inside> {
  await using store = await openUnmigrated(folder)
  await readAll(store.reader)
  return { schemaVersion: await appliedVersion(store.reader), erasureSeq: await erasureSeqOf(store.reader) }
}

async function readAll(db: Queryable): Promise<void> {
  await sql.raw('SET enable_indexonlyscan = off').execute(db)
  const { rows } = await sql<{ name: string }>`SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'loom'`.execute(db)
  for (const { name } of rows) await sql`SELECT count(*) FROM ${sql.table(`loom.${name}`)}`.execute(db)
}

async function erasureSeqOf(db: Queryable): Promise<number> {
  const { rows } = await sql<{ seq: bigint }>`SELECT coalesce(max(erasure_seq), 0)::int8 AS seq FROM loom.org`.execute(db)
  return Number(rows[0]?.seq ?? 0n)
}

/** How many fences a store has, and how many memories. */
export async function countStore(db: Queryable): Promise<{ readonly fences: number; readonly rows: number }> {
  const { rows } = await sql<{ fences: number; rows: number }>`SELECT (SELECT count(*)::int FROM loom.erasure_fence) AS fences,
    (SELECT count(*)::int FROM loom.memory WHERE erased_by = '' AND status IN ('active', 'conflicted', 'duplicate')) AS rows`.execute(db)
  return rows[0] ?? { fences: 0, rows: 0 }
}
