import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { SCHEMA_VERSION } from './migrate.ts'
import { openPglite } from './pglite.ts'

/** File name of the snapshot that fits this build. */
export const SNAPSHOT_FILE = `pgdata-schema-${SCHEMA_VERSION}.tar`

/**
 * Makes, once, a dump of an empty, migrated database: a new data folder starts from it in a fraction of the time that
 * initdb takes. Safe when several processes do it at once. Answers the path of the file.
 */
export async function ensureSnapshot(cacheDir: string): Promise<string> {
  const file = join(cacheDir, SNAPSHOT_FILE)
  if (existsSync(file)) return file
  await mkdir(dirname(file), { recursive: true })
  const scratch = await mkdtemp(join(tmpdir(), 'loom-snapshot-'))
  try {
    const database = await openPglite({ dataDir: join(scratch, 'pg') })
    const dump = await database.pg.dumpDataDir('none')
    await database.close()
    const partial = `${file}.${randomUUID()}`
    await writeFile(partial, new Uint8Array(await dump.arrayBuffer()))
    await rename(partial, file)
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
  return file
}
