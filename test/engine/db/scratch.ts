import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPglite, type PgliteDatabase } from '../../../shared/engine/db/pglite.ts'
import { ensureSnapshot } from '../../../shared/engine/db/snapshot.ts'
import { TEST_CACHE } from '../../helpers/model-worker.ts'

export interface ScratchPglite {
  readonly database: PgliteDatabase
  readonly folder: string
  drop(): Promise<void>
}

/** A new PGlite in a folder that `drop` removes. */
export async function scratchPglite(): Promise<ScratchPglite> {
  const folder = await mkdtemp(join(tmpdir(), 'loom-db-'))
  const database = await openPglite({ dataDir: join(folder, 'db'), snapshot: await ensureSnapshot(TEST_CACHE) })
  const drop = async (): Promise<void> => {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
  return { database, folder, drop }
}
