import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringifyJson } from '../../../shared/contract/json.ts'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { DEFAULT_CONFIG } from '../../../shared/engine/config.ts'
import { createEngine } from '../../../shared/engine/create.ts'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { ensureSnapshot } from '../../../shared/engine/db/snapshot.ts'
import { bundleForNode } from '../../helpers/bundle.ts'
import { NO_MODELS, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { TEST_CACHE } from '../../helpers/model-worker.ts'
import { ADMIN, AT, pairDevice, set } from '../../helpers/push.ts'
import type { Order } from './fixtures/killed-pusher.ts'

const CHANGES = 40

let program: string
let folder: string
let dataDir: string
beforeAll(async () => {
  program = await bundleForNode('test/engine/faults/fixtures/killed-pusher.ts')
  folder = await mkdtemp(join(tmpdir(), 'loom-killed-'))
  dataDir = join(folder, 'pg')
})
afterAll(async () => {
  await rm(dirname(program), { recursive: true })
  await rm(folder, { recursive: true })
})

/** The server on the folder, in this process, for a while. */
async function onServer<T>(work: (server: TestEngine) => Promise<T>): Promise<T> {
  await using database = await openPglite({ dataDir, snapshot: await ensureSnapshot(TEST_CACHE) })
  const options = { host: 'server', mode: 'multi', config: DEFAULT_CONFIG, jobs: 'manual', log: pino({ level: 'silent' }) } as const
  await using engine = await createEngine({ ...options, database, models: NO_MODELS, clock: Date.now })
  const call = (op: string, input: unknown, caller: { claims?: Claims } = {}) => engine.run(op, input, testCaller(caller.claims, caller))
  return await work({ engine, database, call } as unknown as TestEngine)
}

/** Starts a server that takes a push, and kills it when it has told of so many changes. */
async function killAt(told: number, order: Order): Promise<void> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let heard = 0
  child.stdout.on('data', (data: Buffer) => {
    heard += data.length
    if (heard >= told) child.kill('SIGKILL')
  })
  const [, signal] = (await once(child, 'close')) as [number | null, string | null]
  expect(signal).toBe('SIGKILL')
}

describe('a server that is killed while it takes a push', () => {
  it('has settled each change wholly or not at all, and none twice when the push comes again', async () => {
    const { claims } = await onServer((server) => pairDevice(server, 'alice'))
    for (const round of [1, 12, 30]) {
      const changes = Array.from({ length: CHANGES }, (_, at) => set(`killed/${round}/${at}`, `Entry ${at} of round ${round}.`))
      const push = { erasure_seq: 0, sent_at: new Date().toISOString(), changes }
      await killAt(round, { dataDir, claims, push: stringifyJson(push) })
      const settled = await onServer(async (server) => {
        const { results } = await server.call('sync.push', push, { claims })
        expect(results.map(({ outcome }) => outcome)).toEqual(changes.map(() => 'applied'))
        for (const { args } of changes) {
          const { rows } = await server.call('memory.history', { ...AT, memory_key: String(args['memory_key']) }, ADMIN)
          expect(rows.map(({ value }) => value)).toEqual([args['value']])
        }
        const audits = await server.call('audit.list', { namespace: 'chat', limit: 500 }, ADMIN)
        expect(audits.rows.filter(({ memory_key }) => memory_key.startsWith(`killed/${round}/`))).toHaveLength(CHANGES)
        return results.filter(({ replayed }) => replayed).length
      })
      expect(settled).toBeGreaterThanOrEqual(round)
    }
  }, 240_000)
})
