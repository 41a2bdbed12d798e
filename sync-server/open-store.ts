import { join } from 'node:path'
import type { Database } from '../shared/engine/db/database.ts'
import { finishSwap } from '../shared/engine/backup/swap.ts'
import { openPglite } from '../shared/engine/db/pglite.ts'
import { openPostgres } from '../shared/engine/db/postgres.ts'
import { SNAPSHOT_NAME } from '../shared/engine/db/snapshot.ts'
import { cacheFolder } from '../shared/engine/host/app-paths.ts'
import type { Closers } from '../shared/engine/host/closers.ts'
import { lockDataFolder, makePrivateFolder } from '../shared/engine/host/data-folder.ts'
import type { ServerConfig } from './config.ts'

/**
 * Opens the server's store and brings its schema up to date. A PGlite takes the data folder's lock first; any number of
 * processes may share a Postgres.
 * @throws LoomError UNAVAILABLE when another process holds the folder, or the Postgres cannot be used, naming why.
 */
export async function openStore(config: Pick<ServerConfig, 'home' | 'store'>, closers: Closers): Promise<Database> {
  const { home, store } = config
  if (store.kind === 'pglite') {
    const lock = await lockDataFolder(home, 'LOOM_SERVER_HOME')
    closers.add(() => lock.release())
  } else await makePrivateFolder(home, 'LOOM_SERVER_HOME')
  if (store.kind === 'pglite') await finishSwap(store.dataDir)
  const database = store.kind === 'pglite' ? await openFolder(home, store.dataDir) : await openPostgres({ url: store.url })
  closers.add(() => database.close())
  return database
}

/** Opens the PGlite of a data folder whose lock the caller holds. */
export function openFolder(home: string, dataDir: string): Promise<Database> {
  return openPglite({ dataDir, snapshot: join(cacheFolder(home), SNAPSHOT_NAME) })
}
