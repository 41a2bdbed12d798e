import { readdir, rm } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { createEngine, type LocalEngine } from '../shared/engine/create.ts'
import type { Database } from '../shared/engine/db/database.ts'
import { openPglite } from '../shared/engine/db/pglite.ts'
import { SNAPSHOT_NAME } from '../shared/engine/db/snapshot.ts'
import type { Models } from '../shared/engine/ports.ts'
import { createModels } from '../shared/engine/models/create-models.ts'
import { builtFile, cacheFolder } from '../shared/engine/host/app-paths.ts'
import type { Closers } from '../shared/engine/host/closers.ts'
import { fileSecrets } from '../shared/engine/sync/desktop/secrets.ts'
import type { DesktopConfig } from './config.ts'
import { createSyncFetch } from './sync-fetch.ts'

/** Folder of the database in the data folder. */
const DATABASE = 'db'

export interface OpenEngine {
  readonly engine: LocalEngine
  readonly database: Database
  readonly models: Models
}

/**
 * Opens models, database and engine of a data folder whose lock the caller holds. The models go on loading after it
 * returns: until then answers are `degraded`. What was opened is added to `closers`.
 */
export async function openEngine(config: DesktopConfig, logger: Logger, closers: Closers): Promise<OpenEngine> {
  const cache = cacheFolder(config.home)
  const models = createModels({
    cacheDir: join(cache, 'models'),
    workerUrl: builtFile('model-worker.js'),
    embeddingModel: config.embeddingModel,
    logger,
  })
  closers.add(() => models.close())
  await removeDrafts(config.home)
  const database = await openPglite({ dataDir: join(config.home, DATABASE), snapshot: join(cache, SNAPSHOT_NAME) })
  closers.add(() => database.close())
  const engine = await createEngine({
    database,
    models,
    clock: Date.now,
    config: config.engine,
    log: logger,
    host: 'desktop',
    mode: config.mode,
    sync: {
      secrets: fileSecrets(config.home),
      fetch: createSyncFetch(config.network),
      deviceName: hostname(),
      platform: `${process.platform}-${process.arch}`,
    },
  })
  closers.add(() => engine.close())
  // Calls that wait for models still loading would hold up a close: their loading is ended first.
  closers.add(async () => {
    if (models.state === 'loading') await models.close()
  })
  return { engine, database, models }
}

/** Of a first start that was killed a draft of the database stays behind, in which nothing was ever acknowledged. */
async function removeDrafts(home: string): Promise<void> {
  for (const name of await readdir(home)) if (name.startsWith(`${DATABASE}.new-`)) await rm(join(home, name), { recursive: true })
}
