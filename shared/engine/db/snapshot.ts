import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SCHEMA_VERSION } from './migrate.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { makeWhole } from './new-folder.ts'
import { makeEmpty } from './pglite.ts'
import { STAMP_ROWS } from './row-numbers.ts'

const digest = createHash('sha256')
for (const migration of MIGRATIONS) digest.update(migration.sql)
digest.update(STAMP_ROWS)

/** Name of the snapshot that fits this build: builds with other migrations never share one. */
export const SNAPSHOT_NAME = `pgdata-schema-${SCHEMA_VERSION}-${digest.digest('hex').slice(0, 8)}`

/**
 * Makes, once, an empty, migrated database that was closed in order: a new data folder starts as a copy of it, in a
 * fraction of the time that initdb takes. Safe when several processes do it at once. Answers the path of the folder.
 */
export async function ensureSnapshot(cacheDir: string): Promise<string> {
  const folder = join(cacheDir, SNAPSHOT_NAME)
  if (existsSync(folder)) return folder
  try {
    await makeWhole(folder, makeEmpty)
  } catch (error) {
    // Another process was first.
    if (!existsSync(folder)) throw error
  }
  return folder
}
