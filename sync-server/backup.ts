import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { v7 } from 'uuid'
import type { Backup } from '../shared/contract/backup.ts'
import { LoomError } from '../shared/contract/errors.ts'
import { openBackups } from '../shared/engine/backup/create-backups.ts'
import type { Backups, Restored } from '../shared/engine/backup/port.ts'
import type { StoreHost } from '../shared/engine/backup/restore.ts'
import { finishSwap } from '../shared/engine/backup/swap.ts'
import type { Database } from '../shared/engine/db/database.ts'
import { lockDataFolder } from '../shared/engine/host/data-folder.ts'
import { SERVER_ACTOR } from '../shared/engine/store/first-start.ts'
import type { ServerConfig } from './config.ts'
import { openFolder } from './open-store.ts'

/** Backups kept in the ring of a server, of all kinds. */
const KEPT = 7

/** The ring of a server on PGlite, in its data folder. */
function serverBackups(config: Pick<ServerConfig, 'home' | 'objects' | 'org'>, store: StoreHost): Promise<Backups> {
  return openBackups({
    folder: join(config.home, 'backups'),
    objects: config.objects,
    org: config.org,
    clock: Date.now,
    keep: () => KEPT,
    autoHours: () => 0,
    store,
  })
}

/** What an engine on a store needs to make backups; nothing on Postgres. */
export async function backupsBeside(
  config: Pick<ServerConfig, 'home' | 'objects' | 'org' | 'store'>,
  database: Database,
): Promise<{ readonly backups?: Backups }> {
  return config.store.kind === 'pglite' ? { backups: await serverBackups(config, runningStore(database)) } : {}
}

/** The store that a running server has: it is copied, and not replaced. */
function runningStore(database: Database): StoreHost {
  return { store: () => database, madeAt: () => statSync(join(database.location, 'PG_VERSION')).mtimeMs }
}

/**
 * Makes a backup on the server's machine, while the server is stopped.
 * @throws LoomError UNAVAILABLE while a server holds the data folder, and for a Postgres, which has tools of its own
 */
export function backupOnMachine(config: ServerConfig, label: string, logger: Logger): Promise<Backup> {
  return onRing(config, logger, (backups) => backups.create('manual', label))
}

export function listOnMachine(config: ServerConfig, logger: Logger): Promise<Backup[]> {
  return onRing(config, logger, (backups) => backups.list())
}

/**
 * Puts a backup in the place of the store. Its followers start over, and what was erased since goes again at the next
 * start, before anything is served.
 * @throws LoomError as `backupOnMachine`, NOT_FOUND, or INVALID_ARGUMENT for a damaged one and one of a newer Loom
 */
export function restoreOnMachine(config: ServerConfig, backupId: string, logger: Logger): Promise<Restored> {
  return onRing(config, logger, (backups) => backups.restore(backupId, { actor: SERVER_ACTOR, requestId: v7() }))
}

async function onRing<T>(config: ServerConfig, logger: Logger, work: (backups: Backups) => Promise<T>): Promise<T> {
  if (config.store.kind === 'postgres')
    throw new LoomError('UNAVAILABLE', 'This server keeps its rows in a Postgres: back that up with its own tools (docs/server.md).')
  const { dataDir } = config.store
  await using lock = await lockDataFolder(config.home, 'LOOM_SERVER_HOME')
  logger.info({ home: lock.home }, 'the server is stopped: its folder is ours')
  await finishSwap(dataDir)
  let database = await openFolder(config.home, dataDir)
  try {
    const backups = await serverBackups(config, {
      ...runningStore(database),
      store: () => database,
      async replace(swap, undo) {
        await database.close()
        try {
          await swap()
          return (database = await openFolder(config.home, dataDir))
        } catch (error) {
          await undo()
          database = await openFolder(config.home, dataDir)
          throw error
        }
      },
    })
    return await work(backups)
  } finally {
    await database.close()
  }
}
