import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEFAULT_CONFIG } from '../../../shared/engine/config.ts'
import { createEngine } from '../../../shared/engine/create.ts'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { ensureSnapshot } from '../../../shared/engine/db/snapshot.ts'
import { bundleForNode } from '../../helpers/bundle.ts'
import { testCaller, type TestEngine } from '../../helpers/engine.ts'
import { brokenPromises, findableIds, foundIds } from '../../helpers/invariants.ts'
import { modelWorkerUrl, TEST_CACHE } from '../../helpers/model-worker.ts'
import { testModels } from '../../helpers/models.ts'
import { watchStatements } from '../../helpers/statements.ts'
import type { Order } from './fixtures/killed-writer.ts'
import { changed } from './space.ts'

const NOW = Date.parse('2026-03-02T10:00:00Z')

let program: string
let folder: string
beforeAll(async () => {
  program = await bundleForNode('test/engine/faults/fixtures/killed-writer.ts')
  folder = await mkdtemp(join(tmpdir(), 'loom-killed-'))
})
afterAll(async () => {
  await rm(dirname(program), { recursive: true })
  await rm(folder, { recursive: true })
})

/** Runs a write in a process of its own that ends at a statement; answers what the store held before that write. */
async function killAt(order: Order): Promise<Map<string, string>> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.on('data', (data: Buffer) => (said += data))
  const signal = await new Promise((resolve) => child.once('close', (_code, ending) => resolve(ending)))
  expect([signal, said.split('\n')[1]]).toEqual(['SIGKILL', ''])
  return new Map(JSON.parse(said.split('\n')[0] ?? '[]') as [string, string][])
}

/** What the store holds of the write when it is opened again. */
interface Left {
  readonly changed: readonly string[]
  readonly broken: readonly unknown[]
  readonly found: readonly string[]
  readonly findable: readonly string[]
}

async function openAgain(dataDir: string, stood: Map<string, string>): Promise<Left> {
  await using database = await openPglite({ dataDir })
  const left = changed(stood, await watchStatements(database.pg).fingerprints())
  const options = { host: 'desktop', mode: 'single', config: DEFAULT_CONFIG, jobs: 'manual', log: pino({ level: 'silent' }) } as const
  await using engine = await createEngine({ ...options, database, models: await testModels(), clock: () => NOW })
  const loom = { engine, database, call: (op: string, input: unknown) => engine.run(op, input, testCaller()) } as unknown as TestEngine
  return {
    changed: left,
    broken: await brokenPromises(database, 'killed'),
    found: await foundIds(loom, 'killed'),
    findable: await findableIds(database, 'killed', NOW),
  }
}

describe('a process killed in the middle of a write leaves all of it or nothing', { timeout: 60_000 }, () => {
  const SET = 'memory.set against another claim'
  test.each([
    [SET, 'before', 'INSERT INTO loom.memory_embedding', 1, 'nothing'],
    [SET, 'before', 'COMMIT', 1, 'nothing'],
    [SET, 'after', 'COMMIT', 1, 'all'],
    ['memory.bulk_set', 'before', 'COMMIT', 2, 'all'],
    ['memory.move that leaves a redirect', 'before', 'loom.audit', 1, 'nothing'],
    ['memory.redact', 'before', 'COMMIT', 1, 'nothing'],
    ['conflicts.resolve merge', 'after', 'INSERT INTO loom.memory (', 2, 'nothing'],
  ] as const)('%s, %s %s (%i): %s', async (write, moment, at, nth, leaves) => {
    const dataDir = join(folder, `${write} ${moment} ${nth} ${at}`.replaceAll(/\W+/g, '-'))
    const models = { modelCache: join(TEST_CACHE, 'models'), modelWorker: (await modelWorkerUrl()).href }
    const stood = await killAt({ dataDir, snapshot: await ensureSnapshot(TEST_CACHE), ...models, write, at, nth, moment })
    const left = await openAgain(dataDir, stood)
    expect(left.broken).toEqual([])
    expect(left.found).toEqual(left.findable)
    if (leaves === 'nothing') expect(left.changed).toEqual([])
    else expect(left.changed).toEqual(expect.arrayContaining(['audit', 'memory', 'memory_embedding', 'memory_pair', 'memory_version']))
  })
})
