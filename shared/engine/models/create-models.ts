import { existsSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Embedder, Models, RelationModel } from '../ports.ts'
import { DEFAULT_EMBEDDING_MODEL, DEFAULT_HUB } from './model-names.ts'
import { startWorker, type WorkerLink } from './worker-link.ts'
import type { WorkerMessage, WorkerSettings } from './worker-messages.ts'

/** The methods of a pino logger that are used here. */
export interface ModelLogger {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** A step of loading, `fraction` 0 to 1 within it. */
export interface ModelProgress {
  readonly step: string
  readonly fraction: number
}

export interface ModelsOptions {
  /** Folder for models converted or fetched; made when missing. Processes may share it. */
  readonly cacheDir: string
  /** The bundled `worker.ts`; by default `model-worker.js` beside the running bundle. */
  readonly workerUrl?: URL | string
  /** `all-MiniLM-L6-v2` (default), the path of a model's folder, or a hub's `owner/model`, which is fetched once. */
  readonly embeddingModel?: string
  /** Folder of the relation model; by default the one that ships with Loom. */
  readonly relationDir?: string
  /** The hub that `owner/model` names belong to. */
  readonly hub?: string
  readonly logger?: ModelLogger
  readonly onProgress?: (progress: ModelProgress) => void
  /** Loading rests until this resolves, or until somebody waits for the models; left out, it begins at once. */
  readonly restUntil?: Promise<void>
  /** Waits before a dead worker is started again, in milliseconds; when they are used up it stays dead. */
  readonly restartDelays?: readonly number[]
}

const RELATION_WEIGHTS = 'shared/engine/models/weights/relation'
const RESTART_DELAYS = [250, 1000, 5000, 30_000, 60_000]
/** A worker that lived this long was healthy: its end does not count with the ones before. */
const HEALTHY_MS = 60_000
/**
 * A second thread saves 40% on idle cores, but its threads wait for each other spinning: where the engine keeps one of
 * two cores busy, an inference of 4 ms took 8 to 15.
 */
const CORES_FOR_TWO_THREADS = 4
/** Calls up to this size are somebody waiting; larger ones are bulk loads and give way. */
const INTERACTIVE_TEXTS = 4
const INTERACTIVE_PAIRS = 16

/**
 * Loads both models in a worker thread and returns at once. It never throws and `settled` never rejects: a
 * model that is missing, broken or crashed is logged with its cause and its getter answers null. A worker that dies is
 * started again a few times; calls that it owed reject with a plain Error, which callers treat as degraded.
 */
export function createModels(options: ModelsOptions): Models {
  const delays = options.restartDelays ?? RESTART_DELAYS
  const settings = toSettings(options)
  const workerUrl = options.workerUrl ?? new URL('./model-worker.js', import.meta.url)
  const { logger } = options
  let embedder: Embedder | null = null
  let relation: RelationModel | null = null
  let link: WorkerLink | null = null
  let restart: NodeJS.Timeout | null = null
  let deaths = 0
  let closed = false
  let settled = false
  let isBegun = false
  let settleEmbedder = () => {}
  const embedderSettling = new Promise<void>((resolve) => {
    settleEmbedder = resolve
  })
  let settle = () => {}
  const settling = new Promise<void>((resolve) => {
    settle = () => {
      settled = true
      settleEmbedder()
      resolve()
    }
  })

  const start = () => {
    const startedAt = performance.now()
    restart = null
    isBegun = true
    // ONNX Runtime (1.29 on) reports each model and run to its makers, unless its process is told this before it is loaded.
    // Here, not in the worker: the environment of a thread is a copy, which native code does not see.
    // oxlint-disable-next-line node/no-process-env -- no setting of ours
    process.env['ORT_DISABLE_TELEMETRY'] = '1'
    try {
      link = startWorker(workerUrl, settings, {
        onMessage,
        onEnd: (cause) => onEnd(cause, performance.now() - startedAt),
      })
    } catch (cause) {
      onEnd(cause instanceof Error ? cause : new Error(String(cause)), 0)
    }
  }

  const onMessage = (message: WorkerMessage) => {
    if (message.type === 'progress') options.onProgress?.({ step: message.step, fraction: message.fraction })
    else if (message.type === 'log') logger?.[message.level](message.cause === null ? {} : { cause: message.cause }, message.message)
    else if (message.type === 'embedder') {
      embedder = link && embedderOf(link, message)
      settleEmbedder()
    } else if (message.type === 'relation') relation = link && relationOf(link, message.id)
    else if (message.type === 'loaded') onLoaded()
  }

  const onLoaded = () => {
    logger?.info({ embedder: embedder?.id ?? null, relation: relation?.id ?? null }, 'models loaded')
    // A worker with nothing to run would only hold memory.
    if (embedder === null && relation === null) void link?.close()
    settle()
  }

  const onEnd = (cause: Error, lived: number) => {
    embedder = null
    relation = null
    link = null
    if (lived > HEALTHY_MS) deaths = 0
    const delay = delays[deaths++]
    logger?.error({ cause: cause.message, restart_ms: delay ?? null }, 'the model worker ended')
    if (delay !== undefined && !closed) restart = setTimeout(start, delay).unref()
    settle()
  }

  const begin = () => {
    if (!isBegun && !closed) start()
  }
  if (options.restUntil) void options.restUntil.then(begin)
  else begin()
  return {
    get embedder() {
      return embedder
    },
    get relation() {
      return relation
    },
    get state() {
      if (!settled) return 'loading'
      return embedder !== null || relation !== null ? 'ready' : 'unavailable'
    },
    get queue() {
      return link?.waitingTexts ?? 0
    },
    get settled() {
      begin()
      return settling
    },
    get embedderSettled() {
      begin()
      return embedderSettling
    },
    async close() {
      closed = true
      if (restart !== null) clearTimeout(restart)
      embedder = null
      relation = null
      await link?.close()
      settle()
    },
  }
}

function toSettings(options: ModelsOptions): WorkerSettings {
  return {
    cacheDir: options.cacheDir,
    embeddingModel: options.embeddingModel ?? DEFAULT_EMBEDDING_MODEL,
    relationDir: options.relationDir ?? shippedRelationDir(),
    hub: options.hub ?? DEFAULT_HUB,
    threads: availableParallelism() < CORES_FOR_TWO_THREADS ? 1 : 2,
  }
}

function embedderOf(link: WorkerLink, info: WorkerMessage & { type: 'embedder' }): Embedder {
  return {
    id: info.id,
    dim: info.dim,
    maxTokens: info.maxTokens,
    embed: (texts) => link.embed(texts, texts.length > INTERACTIVE_TEXTS),
  }
}

function relationOf(link: WorkerLink, id: string): RelationModel {
  return { id, relate: (pairs) => link.relate(pairs, pairs.length > INTERACTIVE_PAIRS) }
}

/**
 * The weights lie at one path below the root of the clone and of the packaged app, and this module lies anywhere
 * below that root, bundled or not. ONNX Runtime reads files itself, so an archive's unpacked side is needed.
 */
function shippedRelationDir(): string {
  const own = dirname(fileURLToPath(import.meta.url))
  for (let root = own; ; root = dirname(root)) {
    for (const base of [root.replace(/app\.asar$/, 'app.asar.unpacked'), root]) {
      const folder = join(base, RELATION_WEIGHTS)
      if (existsSync(folder)) return folder
    }
    if (dirname(root) === root) return join(own, RELATION_WEIGHTS)
  }
}
