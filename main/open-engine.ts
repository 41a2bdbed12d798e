import { statSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { makeBackup, openBackups } from '../shared/engine/backup/create-backups.ts'
import type { Backups } from '../shared/engine/backup/port.ts'
import { openRing } from '../shared/engine/backup/ring.ts'
import { finishSwap } from '../shared/engine/backup/swap.ts'
import { INSTALL_ORG } from '../shared/engine/caller.ts'
import { createEngine, type LocalEngine } from '../shared/engine/create.ts'
import type { Database } from '../shared/engine/db/database.ts'
import { openPglite } from '../shared/engine/db/pglite.ts'
import { SNAPSHOT_NAME } from '../shared/engine/db/snapshot.ts'
import { LEDGER_FILE } from '../shared/engine/erasure/ledger-file.ts'
import type { DesktopSettings } from '../shared/engine/desktop-settings/settings.ts'
import { builtFile, cacheFolder } from '../shared/engine/host/app-paths.ts'
import { createLines, fetchFor } from '../shared/engine/host/outbound-fetch.ts'
import { type Closers, createClosers } from '../shared/engine/host/closers.ts'
import { createLateEngine, type LateEngine } from '../shared/engine/host/late-engine.ts'
import { createModels } from '../shared/engine/models/create-models.ts'
import { switchableModels, type SwitchableModels } from '../shared/engine/models/switchable-models.ts'
import type { Models } from '../shared/engine/ports.ts'
import { dropAsides, finishMoves, forgetFault, knownFault, noteFault } from '../shared/engine/recovery/note.ts'
import { cannotOpen, openFault } from '../shared/engine/recovery/open-fault.ts'
import type { SecretStore } from '../shared/engine/sync/desktop/port.ts'
import { fileObjects } from '../shared/engine/objects/object-store.ts'
import { fileSecrets } from '../shared/engine/sync/desktop/secrets.ts'
import type { DesktopConfig } from './config.ts'
import { openSettings } from './open-settings.ts'

/** Folders in the data folder: the database and the ring of backups. */
const DATABASE = 'db'
const BACKUPS = 'backups'
/** Whoever opens the window sees the list first: loading the models takes a core for half a second. */
const MODELS_AFTER_MS = 1000

export interface OpenEngine {
  /** Stands in front of the engine, which a restore replaces by another. */
  readonly engine: LateEngine
  /** The engine and the store that are in use now. */
  local(): LocalEngine
  database(): Database
  readonly models: Models
}

export interface OpenOptions {
  /** An engine that calls reach already; made here when left out. */
  readonly front?: LateEngine
  readonly settings?: DesktopSettings
  /** Where the secrets of syncing lie; left out, in a file of the data folder. */
  readonly secrets?: SecretStore
}

interface Opened {
  readonly engine: LocalEngine
  readonly database: Database
  close(): Promise<void>
}

/** Stands in front of the engine of a data folder from before it is opened. */
export function frontOf(config: DesktopConfig, settings: DesktopSettings): LateEngine {
  return createLateEngine({
    mode: config.mode,
    host: 'desktop',
    limits: { maxRequestBytes: config.engine.maxRequestBytes },
    embeddingModel: settings.get('embedding.model'),
  })
}

/**
 * Opens models, database and engine of a data folder whose lock the caller holds. The models load soon after it has
 * returned, or when a call waits for them: until then answers are `degraded`. What was opened is added to `closers`.
 */
export async function openEngine(config: DesktopConfig, logger: Logger, closers: Closers, options: OpenOptions = {}): Promise<OpenEngine> {
  const { home, objects } = config
  const settings = options.settings ?? (await openSettings(config))
  const front = options.front ?? frontOf(config, settings)
  const secrets = options.secrets ?? fileSecrets(home)
  const dataDir = join(home, DATABASE)
  let loadModels = (): void => {}
  const opened = new Promise<void>((resolve) => (loadModels = resolve))
  const models = openModels(home, settings, logger, opened)
  closers.add(() => models.close())
  await finishMoves(dataDir)
  await finishSwap(dataDir)
  const known = await knownFault(dataDir)
  if (known !== null) throw cannotOpen(known)

  let current: Opened
  /** The database is open; what goes wrong then is mostly not its fault. */
  let isOpen = false
  const backups: Backups = await openBackups({
    folder: join(home, BACKUPS),
    objects,
    org: INSTALL_ORG,
    clock: Date.now,
    keep: () => settings.get('backup.keep'),
    autoHours: () => settings.get('backup.auto_hours'),
    async purgeCopies() {
      for (const folder of [dataDir, objects]) await dropAsides(folder)
    },
    store: {
      store: () => current.database,
      madeAt: () => statSync(join(dataDir, 'PG_VERSION')).birthtimeMs || statSync(join(dataDir, 'PG_VERSION')).mtimeMs,
      async replace(swap, undo) {
        const following = current.engine.sync?.isFollowing ?? false
        front.pause('A backup is being restored. Try again in a moment.')
        await current.close()
        try {
          await swap()
          current = await open()
        } catch (error) {
          await undo()
          current = await open()
          throw error
        } finally {
          front.open(current.engine)
          if (following) current.engine.sync?.start()
        }
        return current.database
      },
    },
  })

  async function open(): Promise<Opened> {
    const own = createClosers((error) => logger.error({ err: error }, 'closing failed'))
    isOpen = false
    try {
      const database = await openPglite({
        dataDir,
        snapshot: join(cacheFolder(home), SNAPSHOT_NAME),
        async beforeMigrate(store, from) {
          const label = `before schema ${from} was brought up to date`
          await makeBackup(openRing(join(home, BACKUPS)), { objects, clock: Date.now }, store, 'before_migration', label)
        },
      })
      own.add(() => database.close())
      isOpen = true
      const lines = createLines(config.network)
      const engine = await createEngine({
        database,
        erasure: { ledgerFile: join(home, LEDGER_FILE) },
        models,
        objects: fileObjects(objects),
        clock: Date.now,
        config: config.engine,
        log: logger,
        host: 'desktop',
        mode: config.mode,
        desktopSettings: settings,
        backups,
        ...(config.engine.llm && { llmFetch: fetchFor(config.engine.llm.url, config.network) }),
        sync: {
          secrets,
          fetch: lines.fetch,
          forgetLines: lines.forget,
          deviceName: hostname(),
          platform: `${process.platform}-${process.arch}`,
        },
      })
      own.add(() => engine.close())
      return { engine, database, close: () => own.close() }
    } catch (error) {
      await own.close()
      throw error
    }
  }

  try {
    current = await open()
    await forgetFault(dataDir)
  } catch (error) {
    const fault = openFault(error, isOpen ? 'later' : 'start', new Date())
    if (fault === null) throw error
    await noteFault(dataDir, fault)
    throw cannotOpen(fault, error)
  }
  closers.add(() => current.close())
  // Calls that wait for models still loading would hold up a close: their loading is ended first.
  closers.add(async () => {
    if (models.state === 'loading') await models.close()
  })
  closers.add(followModel(settings, models, () => current.engine, logger))
  front.open(current.engine)
  setTimeout(loadModels, MODELS_AFTER_MS).unref()
  return { engine: front, local: () => current.engine, database: () => current.database, models }
}

function openModels(home: string, settings: DesktopSettings, logger: Logger, restUntil: Promise<void>): SwitchableModels {
  const cacheDir = join(cacheFolder(home), 'models')
  const workerUrl = builtFile('model-worker.js')
  return switchableModels(
    (embeddingModel) => createModels({ cacheDir, workerUrl, embeddingModel, logger, restUntil }),
    settings.get('embedding.model'),
  )
}

/** Takes up another embedding model when the setting says so, one after another. Answers how to stop. */
function followModel(settings: DesktopSettings, models: SwitchableModels, engine: () => LocalEngine, logger: Logger): () => void {
  let turn: Promise<void> = Promise.resolve()
  async function follow(before: Promise<void>): Promise<void> {
    await before
    try {
      await models.switchTo(settings.get('embedding.model'), (next, flip) => engine().changeModels(next, flip))
    } catch (error) {
      logger.error({ err: error }, 'the embedding model could not be changed')
    }
  }
  return settings.on((keys) => {
    if (keys.includes('embedding.model')) turn = follow(turn)
  })
}
