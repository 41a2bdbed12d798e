import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { LoomError } from '../../../contract/errors.ts'
import type { Database, Queryable } from '../../db/database.ts'
import type { ScrubOptions, ScrubReport } from './report.ts'
import { forgetStatistics } from './statistics.ts'
import { sizeOf, storedTables } from './stored-tables.ts'

const LOCK_TIMEOUT_MS = 5000
/** How long older transactions of others are waited for, and how often they are looked for. */
const OLDER_WAIT_MS = 10_000
const LOOK_EVERY_MS = 200

export interface PostgresScrubOptions extends ScrubOptions {
  /** Rewrite every table (`LOOM_ERASURE_VACUUM_FULL`): takes each away from everybody meanwhile. */
  readonly full: boolean
  /** Milliseconds to wait for transactions that began before; 10,000 when left out. */
  readonly waitMs?: number
}

/**
 * Takes the rows that are deleted out of the tables of a Postgres: after it their text stands in no live and no dead
 * tuple, index entry or planner's statistics. Run it after the deletes have committed, and outside a transaction. Plain,
 * it takes no exclusive lock; `full` rewrites each table under one, waiting 5 s for it. What the server's own log and
 * archive hold is its operator's.
 * @throws LoomError UNAVAILABLE while a transaction that may still see the rows is open, or a lock cannot be had: repeat it
 */
export async function scrubPostgres(database: Database, options: PostgresScrubOptions): Promise<ScrubReport> {
  const bytesBefore = await sizeOf(database.reader)
  await waitForOlder(database.reader, options.waitMs ?? OLDER_WAIT_MS)
  // An analyze of a table that has no row left leaves the statistics of those it had.
  await forgetStatistics(database.reader)
  const tables = await storedTables(database.reader)
  // One connection, for the timeout holds on it alone.
  await database.reader.connection().execute(async (db) => {
    await sql.raw(`SET lock_timeout = ${LOCK_TIMEOUT_MS}`).execute(db)
    try {
      for (const table of tables) {
        await options.onTable?.(table)
        await vacuum(db, table, options.full)
      }
      // Statistics hold parts of rows; the ones just gathered replaced those of the rows that went.
      await sql.raw('VACUUM (INDEX_CLEANUP ON) pg_catalog.pg_statistic').execute(db)
    } finally {
      await sql.raw('RESET lock_timeout').execute(db)
    }
  })
  return { tables: tables.length, bytesBefore, bytesAfter: await sizeOf(database.reader), orphans: 0 }
}

async function vacuum(db: Queryable, table: string, full: boolean): Promise<void> {
  // Left to itself a vacuum passes the indexes by when few rows went, and the keys of those stay in them.
  const how = full ? sql.raw('(FULL, ANALYZE)') : sql.raw('(ANALYZE, INDEX_CLEANUP ON)')
  try {
    await sql`VACUUM ${how} ${sql.table(`loom.${table}`)}`.execute(db)
  } catch (error) {
    if ((error as { code?: unknown }).code !== '55P03') throw error
    throw new LoomError(
      'UNAVAILABLE',
      `The table ${table} is in use, so its deleted rows could not be taken out. It is tried again.`,
      { retry_after_s: 60 },
      { cause: error },
    )
  }
}

/** A vacuum leaves what an open transaction may still see; those that began before the deletes must end first. */
async function waitForOlder(db: Queryable, waitMs: number): Promise<void> {
  const { rows } = await sql<{ mark: string }>`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS mark`.execute(db)
  const mark = rows[0]?.mark ?? '0'
  const deadline = performance.now() + waitMs
  for (;;) {
    const older = await sql<{ pid: number }>`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
        AND backend_xmin IS NOT NULL AND age(backend_xmin) > age(${mark}::xid8::xid) LIMIT 1`.execute(db)
    const [found] = older.rows
    if (!found) return
    if (performance.now() >= deadline)
      throw new LoomError(
        'UNAVAILABLE',
        `A transaction that began before the erasure is still open (process ${found.pid} of the database). End it; the purge is tried again.`,
        { retry_after_s: 60 },
      )
    await sleep(LOOK_EVERY_MS)
  }
}
