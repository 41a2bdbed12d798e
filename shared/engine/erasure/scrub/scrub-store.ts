import type { Database } from '../../db/database.ts'
import type { ScrubReport } from './report.ts'
import { scrubPglite } from './scrub-pglite.ts'
import { type PostgresScrubOptions, scrubPostgres } from './scrub-postgres.ts'

/**
 * Takes the bytes of deleted rows out of a store, as far as its kind allows: see `scrubPglite` and `scrubPostgres`.
 * @param options `full` counts on Postgres alone; a PGlite is always rewritten
 * @throws LoomError UNAVAILABLE or STORAGE_FULL; repeating it is safe
 */
export function scrubStore(database: Database, options: PostgresScrubOptions): Promise<ScrubReport> {
  return database.kind === 'pglite' ? scrubPglite(database, options) : scrubPostgres(database, options)
}
