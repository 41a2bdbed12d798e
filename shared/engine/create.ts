import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { EngineEvent } from '../contract/events.ts'
import { isLoomError } from '../contract/errors.ts'
import { backupRestore } from '../contract/ops/backup/restore.ts'
import { LOOM_VERSION } from '../contract/version.ts'
import { JUDGE_VERSION } from '../domain/judge/version.ts'
import type { Engine, Health } from './api.ts'
import { createLastUsed } from './access/last-used.ts'
import { createRateLimits } from './access/rate-limits.ts'
import { readClaims, singleClaims } from './auth.ts'
import { createVersionClock, type Clock } from './clock.ts'
import type { EngineConfig } from './config.ts'
import type { Database } from './db/database.ts'
import { KeyedMutex } from './db/mutex.ts'
import { storeError } from './db/store-error.ts'
import type { Backups } from './backup/port.ts'
import { degradedOf } from './degraded.ts'
import { defaultPlace } from './desktop-settings/default-place.ts'
import { memorySettings, type DesktopSettings } from './desktop-settings/settings.ts'
import { createErasures, type ErasureOptions } from './erasure/erasures.ts'
import { createNumbers } from './erasure/numbers.ts'
import { createCollapses } from './index/collapse.ts'
import { createIndexFill } from './index-fill.ts'
import { createIndexFollower } from './index-follower.ts'
import { createDocumentReader, type DocumentReader } from './documents/reader.ts'
import { builtFile } from './host/app-paths.ts'
import { createHotIndex } from './index/hot-index.ts'
import type { HotIndex } from './index/types.ts'
import { JOBS } from './jobs/all-jobs.ts'
import { SWEEP_EVERY_MS } from './jobs/embed-missing.ts'
import { createJobRunner, type JobRunner } from './jobs/runner.ts'
import { createLibrary } from './library/library.ts'
import { memoryObjects, type ObjectStore } from './objects/object-store.ts'
import { createLedger } from './ledger.ts'
import { createChatService } from './llm/chat-service.ts'
import { createEmbeddingCache } from './models/cached-embedder.ts'
import type { EngineParts } from './parts.ts'
import { HANDLERS } from './ops/handlers.ts'
import type { Models } from './ports.ts'
import { createAgents, type Agents } from './read/agents.ts'
import { createRunOp } from './run-op.ts'
import type { Shapes } from './shapes/shapes.ts'
import { shuttingDown } from './shutting-down.ts'
import { createSettingsCache } from './settings-cache.ts'
import { fillCollapses } from './store/collapse-groups.ts'
import { connectionOfInstall, createDesktopSync } from './sync/desktop/desktop-sync.ts'
import type { Connection, DesktopSync, SyncOptions } from './sync/desktop/port.ts'
import { memorySecrets } from './sync/desktop/secrets.ts'
import { createUsageBuffer } from './usage-buffer.ts'
import { createVectorUpkeep, DEFAULT_DIM, type VectorModel } from './vector-upkeep.ts'
import { createUnembedded } from './write/unembedded.ts'
import { createWebhooks, type WebhookOptions } from './webhooks/webhooks.ts'

export interface EngineOptions {
  readonly host: 'desktop' | 'server'
  readonly mode: 'single' | 'multi'
  readonly config: EngineConfig
  readonly database: Database
  readonly models: Models
  readonly clock: Clock
  readonly log: Logger
  /** `manual`: background passes run only when `runDueJobs` is called, so that a test decides when. */
  readonly jobs?: 'timed' | 'manual'
  /** How a desktop reaches a team server, and where it keeps what that gave it; left out, nothing outlives the process. */
  readonly sync?: SyncOptions
  /** Settings of a desktop; left out, they end with the process. */
  readonly desktopSettings?: DesktopSettings
  /** Of a PGlite in a data folder; left out, there are none. */
  readonly backups?: Backups
  /** How a server reaches webhooks; left out, it knows no secret. */
  readonly webhooks?: WebhookOptions
  /** The ledger of erasures outside the database, and what else they reach; left out, neither. */
  readonly erasure?: ErasureOptions
  /** Of a server that serves shapes. */
  readonly shapes?: Pick<Shapes, 'erase'>
  /** How the language model is reached; left out, directly. */
  readonly llmFetch?: typeof fetch
  /** Reads documents; left out, on a thread of the built `document-worker.js`. */
  readonly documents?: DocumentReader
  /** Where originals of documents lie; left out, none outlives the process. */
  readonly objects?: ObjectStore
}

/** An engine in this process. What is added is not for transports, but what the host's own window asks. */
export interface LocalEngine extends Engine {
  /** Runs the background passes that are due, one after another; answers their names. */
  runDueJobs(now?: Date): Promise<string[]>
  readonly agents: Agents
  /** Team sync of a desktop, which its host starts; null on a server. */
  readonly sync: DesktopSync | null
  /**
   * Takes up other models: when they have loaded, the index is filled for them, `flip` puts them in force, and every
   * row is embedded anew. A failure is logged.
   */
  changeModels(next: Models, flip: () => void): Promise<void>
}

async function lastVersion(database: Database): Promise<bigint> {
  const { rows } = await sql<{ last: bigint | null }>`SELECT max(version) AS last FROM loom.memory_version`.execute(database.reader)
  return rows[0]?.last ?? 0n
}

/** The model of the stored vectors and their length, so that the index can be filled before the model has loaded. */
async function storedModel(database: Database): Promise<VectorModel | null> {
  const { rows } = await sql<VectorModel>`SELECT model, vector_dims(vec)::int AS dim FROM loom.memory_embedding LIMIT 1`.execute(
    database.reader,
  )
  return rows[0] ?? null
}

/**
 * Builds an engine over an open database and loading models, and begins to fill its search index. The engine closes neither:
 * who opened them closes them after it.
 */
export async function createEngine(options: EngineOptions): Promise<LocalEngine> {
  const { database, models, clock, log, config } = options
  const listeners = new Set<(event: EngineEvent) => void>()
  const stopping = new AbortController()
  const rebuilding = new Set<string>()
  const stored = await storedModel(database)
  const vectors = createVectorUpkeep({
    partsOf: (): EngineParts & { index: HotIndex } => parts,
    runnerOf: (): JobRunner => runner,
    listeners,
    stored,
  })
  const usage = createUsageBuffer(database, log)
  const numbers = await createNumbers(database)
  const publish = (event: EngineEvent): void => {
    for (const listener of listeners) {
      try {
        listener(event)
      } catch (error) {
        log.warn({ err: error }, 'a listener failed')
      }
    }
  }

  const desktopSettings = options.host === 'desktop' ? (options.desktopSettings ?? memorySettings()) : null
  const syncOptions: SyncOptions = {
    ...(options.sync ?? { secrets: memorySecrets(), fetch, deviceName: 'loom', platform: '' }),
    ...(desktopSettings && {
      enabled: () => desktopSettings.get('sync.enabled'),
      defaultPlace: (connection: Connection | null) => defaultPlace(desktopSettings, connection),
    }),
  }
  const sync: DesktopSync | null =
    options.host === 'desktop'
      ? createDesktopSync(
          (): EngineParts => parts,
          (op, input, caller): Promise<Record<string, unknown>> => run(op, input, caller),
          syncOptions,
          await connectionOfInstall({ database, log }, syncOptions),
        )
      : null

  let settling = Promise.resolve()
  const parts = {
    host: options.host,
    mode: options.mode,
    config,
    database,
    models,
    llm: config.llm && createChatService(config.llm, options.llmFetch),
    clock,
    log,
    usage,
    numbers,
    ledger: createLedger(database, clock, log, numbers),
    index: createHotIndex({ dim: stored?.dim ?? DEFAULT_DIM }),
    fill: createIndexFill({
      database,
      index: (): HotIndex => parts.index,
      model: stored?.model ?? null,
      log,
      stopping: stopping.signal,
      onFilled() {
        publish({ type: 'engine.state', degraded: degradedOf(parts) })
        settling = settling.then(() => vectors.settle())
        if (options.jobs !== 'manual') runner.start()
      },
    }),
    follower: await createIndexFollower({
      database,
      index: (): HotIndex => parts.index,
      model: () => models.embedder?.id ?? null,
      refill: () => vectors.refill(),
    }),
    versions: createVersionClock(clock, await lastVersion(database)),
    documents: options.documents ?? createDocumentReader({ workerUrl: () => builtFile('document-worker.js') }),
    objects: options.objects ?? memoryObjects(),
    library: createLibrary(database, () => models.embedder),
    rates: createRateLimits(options.mode === 'multi' ? config.rates : null, clock),
    lastUsed: createLastUsed(database, log),
    settings: createSettingsCache(clock),
    embeddings: createEmbeddingCache(),
    unembedded: createUnembedded(SWEEP_EVERY_MS),
    exclusive: new KeyedMutex(),
    collapses: createCollapses(),
    startedAt: new Date(clock()),
    handlerOf: (op) => HANDLERS[op],
    stopping: stopping.signal,
    reindexing: () => vectors.reindexing || rebuilding.size > 0,
    rebuilding,
    erasures: createErasures((): EngineParts => parts, options.erasure ?? {}),
    externalErasers: options.erasure?.erasers ?? [],
    shapes: options.shapes ?? null,
    sync,
    desktopSettings,
    backups: options.backups ?? null,
    webhooks: options.host === 'server' ? createWebhooks(config.webhooks, options.webhooks ?? { secretOf: () => undefined }, clock) : null,
    publish,
    wake: (job: string) => runner.wake(job),
  } satisfies EngineParts
  const jobs = JOBS.filter(({ host = options.host }) => host === options.host)
  const runner = createJobRunner(parts, jobs)
  await parts.erasures.reconcile()
  await fillCollapses(database.reader, parts.collapses)
  await parts.fill.begin()

  async function changeModels(before: Promise<void>, next: Models, flip: () => void): Promise<void> {
    await before
    await vectors.change(next, flip)
  }
  const stopTelling = desktopSettings?.on((keys) => publish({ type: 'settings.changed', keys }))
  const run = createRunOp(parts)
  const running = new Set<Promise<unknown>>()
  let closing: Promise<void> | null = null

  async function close(): Promise<void> {
    stopping.abort()
    stopTelling?.()
    await sync?.stop()
    await Promise.allSettled(running)
    await runner.stop()
    await parts.erasures.stop()
    await parts.fill.filled().catch(() => {})
    if (models.state !== 'loading') await settling
    await usage.close()
    await parts.ledger.close()
    await parts.lastUsed.close()
  }

  return {
    mode: options.mode,
    host: options.host,
    limits: { maxRequestBytes: config.maxRequestBytes },
    async run(op, input, caller) {
      if (closing) throw shuttingDown()
      const work = run(op, input, caller)
      // A restore closes this engine on its way, which must not wait for it.
      if (op !== backupRestore.name) running.add(work)
      try {
        return await work
      } finally {
        running.delete(work)
      }
    },
    authenticate: async (token, client, address) => {
      if (options.mode === 'single') return singleClaims(client)
      try {
        const claims = await readClaims(database.reader, token, clock)
        parts.lastUsed.seen(claims, new Date(clock()))
        return claims
      } catch (error) {
        if (!isLoomError(error)) throw storeError(error) ?? error
        // Whoever holds the right token of a revoked device guesses nothing.
        if (error.code === 'UNAUTHENTICATED' && error.fields['device_revoked'] !== true) parts.rates.failed(address)
        throw error
      }
    },
    draw: (rate, caller) => parts.rates.draw({ rate }, caller),
    endSession: (session) => parts.ledger.sessionClosed(session),
    health(): Health {
      const degraded = degradedOf(parts)
      const settled = models.state !== 'loading'
      return {
        status: closing ? 'stopping' : !settled ? 'starting' : degraded.length > 0 ? 'degraded' : 'ok',
        version: LOOM_VERSION,
        judge_version: JUDGE_VERSION,
        embedding_model: models.embedder?.id ?? '',
        degraded,
      }
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    agents: createAgents(parts, clock),
    sync,
    changeModels: (next, flip) => (settling = changeModels(settling, next, flip)),
    async runDueJobs(now = new Date(clock())) {
      await parts.fill.filled()
      return runner.runDue(now)
    },
    close: () => (closing ??= close()),
    [Symbol.asyncDispose]: () => (closing ??= close()),
  }
}
