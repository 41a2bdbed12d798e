import { cp, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createModels, type ModelLogger } from '../../../shared/engine/models/create-models.ts'
import { modelWorkerUrl } from '../../helpers/model-worker.ts'
import { openModels } from '../../helpers/models.ts'

const WAIT = { timeout: 20_000, interval: 20 }
let folder: string
let mortalWorker: URL

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-worker-'))
  // The real worker, which can be told to end its thread in the middle of a call.
  const script = `
    import { parentPort } from 'node:worker_threads'
    parentPort.on('message', (request) => { if (request.texts?.includes('end the thread')) process.exit(3) })
    await import(${JSON.stringify((await modelWorkerUrl()).href)})`
  await writeFile(join(folder, 'mortal.mjs'), script)
  mortalWorker = pathToFileURL(join(folder, 'mortal.mjs'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('creating returns at once, with nothing loaded', async () => {
  const workerUrl = await modelWorkerUrl()
  const started = performance.now()
  const models = createModels({ cacheDir: join(folder, 'cache'), workerUrl })
  expect(performance.now() - started).toBeLessThan(100)
  expect(models).toMatchObject({ embedder: null, relation: null, state: 'loading', queue: 0 })
  await models.close()
  await models.settled
  expect(models.state).toBe('unavailable')
})

test.each([
  ['a path that is not there', '/no/such/model'],
  ['a name that is none', 'no such model'],
  ['an empty name', ''],
  ['a name that leaves the cache', '../no-owner'],
])('%s leaves the embedder out, and says why', async (_, embeddingModel) => {
  const logger = recorder()
  const models = await openModels({ embeddingModel, logger })
  expect(models.embedder).toBeNull()
  expect(models.relation).not.toBeNull()
  expect(logger.errors).toHaveLength(1)
  expect(logger.errors[0]).toMatch(/embedding model cannot be loaded.*is no folder here/)
  await models.close()
})

test('a damaged ONNX file leaves its model out, and says why', async () => {
  const relationDir = join(folder, 'damaged')
  await cp('shared/engine/models/weights/relation', relationDir, { recursive: true })
  await truncate(join(relationDir, 'onnx/model_quantized.onnx'), 10_000_000)
  const logger = recorder()
  const models = await openModels({ relationDir, logger })
  expect(models.relation).toBeNull()
  expect(models.embedder).not.toBeNull()
  expect(logger.errors[0]).toMatch(/relation model cannot be loaded/)
  await models.close()
})

test('with neither model the state is unavailable and no thread is kept', async () => {
  const models = await openModels({ embeddingModel: '/no/such/model', relationDir: '/no/such/folder' })
  expect(models).toMatchObject({ embedder: null, relation: null, state: 'unavailable', queue: 0 })
  await models.close()
})

test('a worker that cannot start is logged, and loading still ends', async () => {
  const broken = join(folder, 'broken.mjs')
  await writeFile(broken, "throw new Error('the runtime cannot be loaded')")
  for (const workerUrl of [pathToFileURL(broken), pathToFileURL(join(folder, 'absent.mjs')), 'not a path', new URL('http://x/')]) {
    const logger = recorder()
    const models = await openModels({ workerUrl, logger, restartDelays: [] })
    expect(models).toMatchObject({ embedder: null, relation: null, state: 'unavailable' })
    expect(logger.errors[0]).toMatch(/the model worker ended.*(the runtime cannot be loaded|Cannot find module|path|scheme)/)
    await models.close()
  }
})

test('a worker that dies rejects what it owed, comes back, and gives the same vectors', async () => {
  const models = await openModels({ workerUrl: mortalWorker, restartDelays: [100] })
  const before = await models.embedder!.embed(['hello'])
  const { embedder, relation } = models
  // The end comes first: a thread that ends inside the runtime can take the whole process with it, which no test should.
  const last = embedder!.embed(['end the thread'])
  const bulk = embedder!.embed(Array.from({ length: 500 }, (_, i) => `text ${i}`))
  const pair = relation!.relate([{ a: 'a', b: 'b' }])
  const results = await Promise.allSettled([bulk, last, pair])
  expect(results[0]).toMatchObject({ status: 'rejected', reason: { name: 'Error', message: expect.stringContaining('status 3') } })
  expect(results[1].status).toBe('rejected')
  expect(models).toMatchObject({ embedder: null, relation: null, state: 'unavailable', queue: 0 })
  await expect(embedder!.embed(['hello'])).rejects.toThrow('has ended')

  await vi.waitUntil(() => models.embedder !== null && models.relation !== null, WAIT)
  expect(await models.embedder!.embed(['hello'])).toEqual(before)
  expect(models.state).toBe('ready')
  await models.close()
})

test('a worker that dies over and over is given up', async () => {
  const logger = recorder()
  const models = await openModels({ workerUrl: mortalWorker, restartDelays: [10, 10], logger })
  for (let death = 1; death <= 3; death++) {
    await vi.waitUntil(() => models.embedder !== null, WAIT)
    await expect(models.embedder!.embed(['end the thread'])).rejects.toThrow('ended with status 3')
  }
  expect(logger.errors).toHaveLength(3)
  await new Promise((resolve) => setTimeout(resolve, 200))
  expect(models).toMatchObject({ embedder: null, relation: null, state: 'unavailable' })
  await models.close()
})

test('closing ends the thread, rejects what waits, and may be done twice and while loading', async () => {
  const models = await openModels()
  const { embedder } = models
  const bulk = embedder!.embed(Array.from({ length: 2000 }, (_, i) => `text ${i}`))
  const failed = expect(bulk).rejects.toThrow('was closed')
  const started = performance.now()
  await models.close()
  expect(performance.now() - started).toBeLessThan(3000)
  await failed
  await models.close()
  expect(models).toMatchObject({ embedder: null, relation: null, state: 'unavailable', queue: 0 })
  await expect(embedder!.embed(['x'])).rejects.toThrow('has ended')
})

/** Keeps what is logged as an error, with its cause. */
function recorder(): ModelLogger & { errors: string[] } {
  const errors: string[] = []
  const ignore = () => {}
  return {
    errors,
    info: ignore,
    warn: ignore,
    error: (fields, message) => void errors.push(`${message}: ${JSON.stringify(fields)}`),
  }
}
