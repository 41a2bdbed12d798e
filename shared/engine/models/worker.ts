/**
 * Entry of the model worker thread: loads both models, then computes one inference at a time. It is bundled into a
 * file of its own and started by `worker-link.ts`; it imports nothing that needs Electron.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import type { Relation } from '../ports.ts'
import { type EmbeddingRuntime, loadEmbeddingRuntime } from './embedding-runtime.ts'
import { findEmbeddingModel } from './embedding-source.ts'
import type { LoadReport } from './load-report.ts'
import { loadRelationRuntime, type RelationRuntime } from './relation-runtime.ts'
import { createWorkQueue, type Work } from './work-queue.ts'
import type { WorkerMessage, WorkerRequest, WorkerSettings } from './worker-messages.ts'

const QUERIES_FIRST_MS = 50

const settings = workerData as WorkerSettings
const host = parentPort
if (host === null) throw new Error('The model worker is started as a worker thread, not by itself.')

const post = (message: WorkerMessage, transfer: ArrayBuffer[] = []) => host.postMessage(message, transfer)
const report: LoadReport = {
  progress: (step, fraction) => post({ type: 'progress', step, fraction }),
  log: (level, message, cause) => post({ type: 'log', level, message, cause: cause === undefined ? null : inWords(cause) }),
}
const queue = createWorkQueue()
let embedding: EmbeddingRuntime | null = null
let relation: RelationRuntime | null = null

host.on('message', (request: WorkerRequest) => {
  if (request.type === 'close') void close()
  else queue.add(request.type === 'embed' ? embedWork(request) : relateWork(request))
})
await load()

async function load(): Promise<void> {
  embedding = await attempt('embedding model', async () => {
    const { embeddingModel: name, cacheDir, hub, threads } = settings
    const source = await findEmbeddingModel({ name, cacheDir, hub }, report)
    report.progress('loading embedding model', 0)
    return loadEmbeddingRuntime(source, threads)
  })
  if (embedding !== null) {
    const { id, dim, maxTokens } = embedding
    post({ type: 'embedder', id, dim, maxTokens })
    // Loading the next model keeps this thread busy: a query that waited for this one goes first.
    await pause(QUERIES_FIRST_MS)
  }
  relation = await attempt('relation model', () => {
    report.progress('loading relation model', 0)
    return loadRelationRuntime(settings.relationDir, settings.threads)
  })
  if (relation !== null) post({ type: 'relation', id: relation.id })
  post({ type: 'loaded' })
}

async function attempt<T>(name: string, loadModel: () => Promise<T>): Promise<T | null> {
  try {
    const model = await loadModel()
    report.progress(`loading ${name}`, 1)
    return model
  } catch (error) {
    report.log('error', `the ${name} cannot be loaded; Loom goes on without it`, error)
    return null
  }
}

function embedWork(request: WorkerRequest & { type: 'embed' }): Work {
  const vectors: Float32Array[] = []
  return {
    background: request.background,
    async step() {
      const text = request.texts[vectors.length]
      if (text === undefined) return false
      if (embedding === null) throw new Error('The embedding model is not loaded.')
      vectors.push(await embedding.embed(text))
      return true
    },
    done: () =>
      post(
        { type: 'vectors', id: request.id, vectors },
        vectors.map((vector) => vector.buffer as ArrayBuffer),
      ),
    failed: (error) => post({ type: 'failed', id: request.id, message: inWords(error) }),
  }
}

function relateWork(request: WorkerRequest & { type: 'relate' }): Work {
  const relations: Relation[] = []
  return {
    background: request.background,
    async step() {
      const pair = request.pairs[relations.length]
      if (pair === undefined) return false
      if (relation === null) throw new Error('The relation model is not loaded.')
      relations.push(await relation.relate(pair.a, pair.b))
      return true
    },
    done: () => post({ type: 'relations', id: request.id, relations }),
    failed: (error) => post({ type: 'failed', id: request.id, message: inWords(error) }),
  }
}

async function close(): Promise<void> {
  await queue.stop()
  await embedding?.dispose()
  await relation?.dispose()
  host?.close()
}

function inWords(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
