import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bundledModule, modelWorkerUrl } from '../../helpers/model-worker.ts'
import { openModels } from '../../helpers/models.ts'

const FOLDER = 'all-MiniLM-L6-v2-int8-block16'
let cacheDir: string

beforeEach(async () => {
  cacheDir = await mkdtemp(join(tmpdir(), 'loom-models-'))
})

afterEach(() => rm(cacheDir, { recursive: true, force: true }))

test('the first start converts the weights, with progress; the second finds them', async () => {
  const first = await load()
  expect(first.dim).toBe(384)
  const steps = first.progress.filter(({ step }) => step === 'converting embedding model').map(({ fraction }) => fraction)
  expect(steps[0]).toBe(0)
  expect(steps.at(-1)).toBe(1)
  expect(steps).toEqual([...steps].sort((a, b) => a - b))

  const second = await load()
  expect(second.dim).toBe(384)
  expect(second.progress.map(({ step }) => step)).not.toContain('converting embedding model')
  expect((await readdir(join(cacheDir, FOLDER), { recursive: true })).filter((name) => name.endsWith('.tmp'))).toEqual([])
})

test('a model cut short by a crash is made again, byte for byte', async () => {
  await load()
  const model = join(cacheDir, FOLDER, 'onnx/model_quantized.onnx')
  const whole = sha256(await readFile(model))
  await truncate(model, 1_000_000)
  const { dim, progress } = await load()
  expect(dim).toBe(384)
  expect(progress.map(({ step }) => step)).toContain('converting embedding model')
  expect(sha256(await readFile(model))).toBe(whole)
})

test('processes that start at once on an empty cache all end well', async () => {
  const answers = await Promise.all([1, 2, 3].map(() => loadInProcess(cacheDir)))
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0])
  const [first] = answers
  for (const { output } of answers) expect(output).toBe(first!.output)
  expect(JSON.parse(first!.output)).toHaveLength(384)
}, 60_000)

test('a cache folder that cannot be made leaves the embedder out and the relation model in', async () => {
  const file = join(cacheDir, 'a-file')
  await writeFile(file, '')
  const models = await openModels({ cacheDir: join(file, 'below') })
  expect(models.embedder).toBeNull()
  expect(models.relation).not.toBeNull()
  expect(models.state).toBe('ready')
  await models.close()
})

async function load() {
  const progress: { step: string; fraction: number }[] = []
  const models = await openModels({ cacheDir, onProgress: (step) => progress.push(step) })
  const dim = (await models.embedder!.embed(['hello']))[0]!.length
  await models.close()
  return { dim, progress }
}

/** Loads the models in a Node process of their own, which prints one vector and ends by itself. */
async function loadInProcess(folder: string): Promise<{ code: number | null; output: string }> {
  const [host, worker] = [await bundledModule('shared/engine/models/create-models.ts'), await modelWorkerUrl()]
  const script = `
    import { createModels } from ${JSON.stringify(host.href)}
    const models = createModels({ cacheDir: ${JSON.stringify(folder)}, workerUrl: new URL(${JSON.stringify(worker.href)}) })
    await models.settled
    const [vector] = await models.embedder.embed(['hello'])
    console.log(JSON.stringify([...vector]))`
  await writeFile(join(folder, 'load.mjs'), script)
  const child = spawn(process.execPath, [join(folder, 'load.mjs')], { stdio: ['ignore', 'pipe', 'inherit'], timeout: 50_000 })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text))
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
