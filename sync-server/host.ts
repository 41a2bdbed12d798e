import { join } from 'node:path'
import type { Logger } from 'pino'
import type { Engine } from '../shared/engine/api.ts'
import { createEngine } from '../shared/engine/create.ts'
import { loadErasers } from '../shared/engine/erasure/external/load.ts'
import { LEDGER_FILE } from '../shared/engine/erasure/ledger-file.ts'
import { builtFile, cacheFolder } from '../shared/engine/host/app-paths.ts'
import { type Closers, createClosers } from '../shared/engine/host/closers.ts'
import { createLateEngine } from '../shared/engine/host/late-engine.ts'
import { fetchFor } from '../shared/engine/host/outbound-fetch.ts'
import { createModels } from '../shared/engine/models/create-models.ts'
import { fileObjects } from '../shared/engine/objects/object-store.ts'
import type { Shapes } from '../shared/engine/shapes/shapes.ts'
import { mintFirstToken, type FirstAccess } from '../shared/engine/store/first-start.ts'
import { createHttpApp } from '../shared/transport/http.ts'
import { isLoopback, type HostRules } from '../shared/transport/known-host.ts'
import { listen } from '../shared/transport/serve.ts'
import { backupsBeside } from './backup.ts'
import { webhookSecret, type ServerConfig } from './config.ts'
import { followEngine, openShapes } from './open-shapes.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { openStore } from './open-store.ts'

/** The server's engine with its address. */
export interface ServerHost extends AsyncDisposable {
  readonly engine: Engine
  /** Where HTTP and MCP answer, such as `http://127.0.0.1:7788`. */
  readonly url: string
  /** Minted just now, since there was none; to be shown once. */
  readonly firstAccess: FirstAccess | null
  /** Address by which others know it, for pairing links. */
  readonly publicUrl: string
  /** Closes in reverse order of opening; calls under way end first. */
  close(): Promise<void>
}

/**
 * Opens store, models and engine, and serves them. From the moment it listens until the engine is open, calls are
 * answered 503 UNAVAILABLE.
 * @throws LoomError UNAVAILABLE naming the folder's owner, the port, or what is wrong with the Postgres.
 */
export async function createServerHost(config: ServerConfig, logger: Logger): Promise<ServerHost> {
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  try {
    const late = createLateEngine({
      mode: config.mode,
      host: 'server',
      limits: { maxRequestBytes: config.engine.maxRequestBytes },
      embeddingModel: config.embeddingModel,
    })
    let shapes: Shapes | null = null
    const metrics = createMetrics()
    const app = createHttpApp(metrics.watch(late), { logger, shapes: () => shapes, metrics: metrics.text, ...hostRules(config) })
    const listening = await listen(app, { host: config.host, port: config.port })
    closers.add(() => listening.close())
    const publicUrl = config.publicUrl ?? `http://localhost:${listening.port}`
    const opened = await openEngine(config, publicUrl, logger, closers, metrics)
    shapes = opened.shapes
    late.open(opened.engine)
    const { firstAccess } = opened
    closers.add(() => late.stop())
    const close = (): Promise<void> => closers.close()
    return { engine: late, url: listening.url, firstAccess, publicUrl, close, [Symbol.asyncDispose]: close }
  } catch (error) {
    await closers.close()
    throw error
  }
}

async function openEngine(
  config: ServerConfig,
  publicUrl: string,
  logger: Logger,
  closers: Closers,
  metrics: Metrics,
): Promise<{ readonly engine: Engine; readonly shapes: Shapes; readonly firstAccess: FirstAccess | null }> {
  const database = await openStore(config, closers)
  metrics.watchStore(database)
  const shapes = await openShapes(config, database, logger, closers)
  const models = createModels({
    cacheDir: join(cacheFolder(config.home), 'models'),
    workerUrl: builtFile('model-worker.js'),
    embeddingModel: config.embeddingModel,
    logger,
  })
  closers.add(() => models.close())
  const engine = await createEngine({
    host: 'server',
    mode: config.mode,
    config: { ...config.engine, publicUrl },
    database,
    models,
    objects: fileObjects(config.objects),
    ...(await backupsBeside(config, database)),
    clock: Date.now,
    log: logger,
    ...(config.engine.llm && { llmFetch: fetchFor(config.engine.llm.url, config.network) }),
    webhooks: { secretOf: webhookSecret },
    erasure: { ledgerFile: join(config.home, LEDGER_FILE), erasers: await loadErasers(config.externalErasers, webhookSecret) },
    shapes,
  })
  closers.add(() => engine.close())
  // Calls wait up to 15 s for models that load; a server that closes lets them end without.
  closers.add(async () => {
    if (models.state === 'loading') await models.close()
  })
  // Last: a start that fails must not use up a token that nobody saw.
  const firstAccess = config.mode === 'multi' ? await mintFirstToken(database, config.org, new Date()) : null
  closers.add(async () => shapes.close())
  followEngine(engine, shapes)
  return { engine, shapes, firstAccess }
}

/**
 * The names that the server answers to: loopback, the address it binds, and the host of LOOM_PUBLIC_URL. Any other Host
 * is of a site whose name was pointed at us.
 */
function hostRules(config: ServerConfig): HostRules {
  const own = config.publicUrl === null ? null : new URL(config.publicUrl)
  const names = new Set([config.host, ...(own === null ? [] : [own.hostname.replaceAll(/[[\]]/g, '')])])
  return {
    allowedHosts: (name) => isLoopback(name) || names.has(name),
    allowedOrigins: (origin) => own !== null && URL.canParse(origin) && new URL(origin).origin === own.origin,
  }
}
