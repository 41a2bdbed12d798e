import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
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
import type { Order } from './fixtures/killed-writer.ts'
import { IMPORT } from './write-cases.ts'

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

async function kill(order: Order): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: ['ignore', 'ignore', 'inherit'] })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
}

const outcomes = async (loom: TestEngine): Promise<string[]> => {
  const { results } = await loom.call('memory.import', { namespace: 'killed', ...IMPORT })
  return results.map(({ outcome, reason, note }) => [outcome, reason, note].filter(Boolean).join(' '))
}

describe('an import whose process is killed is completed by running it again', { timeout: 120_000 }, () => {
  test.each([
    ['before the first commit', 'before', 'COMMIT', 1, ['written conflicted', 'held identity_duplicate', 'written']],
    [
      'between a fact and its category',
      'before',
      'insert into "loom"."memory_category"',
      1,
      ['skipped unchanged', 'held identity_duplicate', 'written'],
    ],
    [
      'before the last category',
      'before',
      'insert into "loom"."memory_category"',
      2,
      ['skipped unchanged', 'held identity_duplicate', 'skipped unchanged'],
    ],
  ] as const)('%s', async (name, moment, at, nth, again) => {
    const dataDir = join(folder, name.replaceAll(' ', '-'))
    const models = { modelCache: join(TEST_CACHE, 'models'), modelWorker: (await modelWorkerUrl()).href }
    await kill({ dataDir, snapshot: await ensureSnapshot(TEST_CACHE), ...models, write: 'memory.import', at, nth, moment })

    await using database = await openPglite({ dataDir })
    const options = { host: 'desktop', mode: 'single', config: DEFAULT_CONFIG, jobs: 'manual', log: pino({ level: 'silent' }) } as const
    await using engine = await createEngine({ ...options, database, models: await testModels(), clock: () => NOW })
    const loom = { engine, database, call: (op: string, input: unknown) => engine.run(op, input, testCaller()) } as unknown as TestEngine
    expect(await brokenPromises(database, 'killed')).toEqual([])
    expect(await outcomes(loom)).toEqual(again)
    expect(await outcomes(loom)).toEqual(['skipped unchanged', 'held identity_duplicate', 'skipped unchanged'])
    expect(await brokenPromises(database, 'killed')).toEqual([])
    expect(await foundIds(loom, 'killed')).toEqual(await findableIds(database, 'killed', NOW))
    const { rows } = await sql<{ rows: number; versions: number; links: number; pairs: number }>`SELECT
      (SELECT count(*)::int FROM loom.memory) AS rows, (SELECT count(*)::int FROM loom.memory_version) AS versions,
      (SELECT count(*)::int FROM loom.memory_category) AS links, (SELECT count(*)::int FROM loom.memory_pair) AS pairs`.execute(
      database.reader,
    )
    expect(rows).toEqual([{ rows: 3, versions: 3, links: 2, pairs: 1 }])
  })
})
