import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { filesOf, filesWith } from '../../helpers/raw-files.ts'
import { smallDisk, type SmallDisk } from '../../helpers/small-disk.ts'
import { ADMIN, ORG } from '../../ops/erasure/people.ts'
import { seedUser, tablesWith } from '../../ops/erasure/seed.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const CANARY = 'Potoroo5561'
const HOUR_MS = 3_600_000

let disk: SmallDisk
let loom: TestEngine
let ahead = 0
beforeAll(async () => {
  disk = await smallDisk(256)
  loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    folder: disk.folder,
    clock: () => Date.now() + ahead,
    erasure: { ledgerFile: join(disk.folder, 'erasure-ledger.jsonl') },
    config: { erasure: { ...DEFAULT_ERASURE, maxAttempts: 20 } },
  })
})
afterAll(async () => {
  await loom.close()
  await disk[Symbol.asyncDispose]()
})

it('a purge whose disk is full fails and says so, erases no less for it, and is completed when there is room [ERA054]', async () => {
  await seedUser(loom, 'chat', 'u-1', CANARY)
  // The tables that a purge rewrites are larger than the room that is left.
  const at = { org: ORG, namespace: 'chat', agent: 'a', user_id: 'u-2' }
  for (let n = 0; n < 60; n++)
    await loom.call('memory.set', { ...at, memory_key: `big/${n}`, value: randomBytes(15_000).toString('base64') }, ADMIN)
  await disk.fill(700_000)
  const request = { org: ORG, scope_type: 'user_id' as const, scope_value: 'u-1', requester: 'dpo', purge: true }
  const asked = await loom.call('erasure.request', request, ADMIN).catch((error: unknown) => error as { code: string })
  if ('status' in asked)
    expect(asked).toMatchObject({ status: 'failed', failure_reason: expect.stringContaining('STORAGE_FULL') as string })
  else expect(asked.code).toBe('STORAGE_FULL')

  await disk.makeRoom()
  // The database may have to be opened anew first.
  await vi.waitFor(() => loom.call('erasure.list', { org: ORG }, ADMIN), { timeout: 10_000, interval: 500 })
  // A saga whose end could not be written has a lease that runs out; a failed one waits for its turn.
  for (let turn = 0; turn < 3; turn++) {
    ahead += 2 * HOUR_MS
    await loom.engine.runDueJobs()
  }
  const [saga] = (await loom.call('erasure.list', { org: ORG }, ADMIN)).rows
  if (saga === undefined) expect(await loom.call('erasure.request', request, ADMIN)).toMatchObject({ status: 'completed' })
  else expect(saga).toMatchObject({ status: 'completed', failure_reason: null, residue_count: 0 })
  expect(Object.keys(await tablesWith(loom.database, CANARY)).filter((name) => name !== 'idempotency')).toEqual([])
  expect((await loom.call('memory.get', { ...at, memory_key: 'big/59' }, ADMIN)).found).toBe(true)
  const kept = await filesOf(loom.database, 'idempotency')
  expect((await filesWith(disk.folder, [CANARY])).filter((line) => !kept.some((file) => line.startsWith(`pg/${file}:`)))).toEqual([])
})
