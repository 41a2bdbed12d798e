import { sql } from 'kysely'
import { assumeSizes } from '../../db/assumed-statistics.ts'
import type { Database } from '../../db/database.ts'
import { removeOrphans } from './orphans.ts'
import type { ScrubOptions, ScrubReport } from './report.ts'
import { forgetStatistics } from './statistics.ts'
import { sizeOf, storedTables } from './stored-tables.ts'

/** The first leaves the segment that the last rewrite is in, the second the one that the first checkpoint wrote to. */
const LOG_SWITCHES = 2

/**
 * Takes the bytes of deleted rows out of the files of a PGlite: after it no text of a row that is gone stands in a table,
 * a toast table, an index, the planner's statistics or the write-ahead log. Run it after the deletes have committed, and
 * outside a transaction. Every table is rewritten, which takes as long as its live rows are many, and as much room
 * again as the largest; calls go on between two tables. Killed at any point it does no harm, and repeating it is safe.
 * @throws LoomError STORAGE_FULL (through the pipeline) when the disk has no room for a copy of a table
 */
export async function scrubPglite(database: Database, options: ScrubOptions = {}): Promise<ScrubReport> {
  const { reader } = database
  const bytesBefore = await sizeOf(reader)
  await forgetStatistics(reader)
  await sql.raw('VACUUM FULL pg_catalog.pg_statistic').execute(reader)
  const tables = await storedTables(reader)
  for (const table of tables) {
    await options.onTable?.(table)
    await sql`VACUUM FULL ${sql.table(`loom.${table}`)}`.execute(reader)
  }
  // A rewrite counts the rows: of a table that has none now, the planner would go on thinking so.
  await assumeSizes(reader)
  for (let switched = 0; switched < LOG_SWITCHES; switched++) await sql.raw('SELECT pg_switch_wal(); CHECKPOINT').execute(reader)
  const orphans = await removeOrphans(database)
  return { tables: tables.length, bytesBefore, bytesAfter: await sizeOf(reader), orphans }
}
