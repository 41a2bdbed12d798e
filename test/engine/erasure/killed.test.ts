import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import { STEPS } from '../../../shared/engine/erasure/store.ts'
import { bundleForNode } from '../../helpers/bundle.ts'
import { NO_MODELS, openTestEngine } from '../../helpers/engine.ts'
import { ADMIN, ORG } from '../../ops/erasure/people.ts'
import { seedUser, tablesWith } from '../../ops/erasure/seed.ts'
import type { Order } from './fixtures/killed-eraser.ts'

const CANARY = 'Wombat7733'
const MANY_ATTEMPTS = { ...DEFAULT_ERASURE, maxAttempts: 100 }

let program: string
let folder: string
beforeAll(async () => {
  program = await bundleForNode('test/engine/erasure/fixtures/killed-eraser.ts')
  folder = await mkdtemp(join(tmpdir(), 'loom-killed-'))
})
afterAll(async () => {
  await rm(dirname(program), { recursive: true })
  await rm(folder, { recursive: true })
})

/** Starts a server and kills it when it has told of so many steps. Answers how many it told of, and whether it ended. */
async function killAfter(steps: number, order: Order): Promise<{ told: number; ended: boolean }> {
  const child = spawn(process.execPath, [program, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let heard = ''
  child.stdout.on('data', (data: Buffer) => {
    heard += data.toString()
    if (heard.split('.').length - 1 >= steps) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return { told: heard.split('.').length - 1, ended: heard.includes('!') }
}

it('[ERA054] [ERA056] a saga whose process is killed again and again goes on where it was, and ends with everything gone', async () => {
  const ledgerFile = join(folder, 'erasure-ledger.jsonl')
  const open = () =>
    openTestEngine({
      host: 'server',
      mode: 'multi',
      models: NO_MODELS,
      folder,
      erasure: { ledgerFile },
      config: { erasure: MANY_ATTEMPTS },
    })
  const seeded = await open()
  await seedUser(seeded, 'chat', 'u-1', CANARY)
  await seeded.close()
  const order: Order = {
    dataDir: join(folder, 'pg'),
    ledgerFile,
    claims: ADMIN.claims!,
    request: { org: ORG, scope_type: 'user_id', scope_value: 'u-1', requester: 'dpo', purge: true },
  }
  let done = 0
  for (let attempt = 0; done < STEPS.length - 2; attempt++) {
    const { told, ended } = await killAfter(attempt % 2 === 0 ? 1 : 3, { ...order, request: attempt === 0 ? order.request : null })
    if (ended) break
    expect(told).toBeGreaterThan(0)
    done += told
  }
  expect((await readFile(ledgerFile, 'utf8')).trim().split('\n')).toHaveLength(1)

  const loom = await open()
  try {
    await loom.engine.runDueJobs(new Date(Date.now() + 3_600_000))
    const [saga] = (await loom.call('erasure.list', { org: ORG }, ADMIN)).rows
    expect(saga).toMatchObject({ status: 'completed', failure_reason: null, current_step: 99, residue_count: 0 })
    expect(saga?.attempts).toBeGreaterThan(3)
    expect(Object.keys(await tablesWith(loom.database, CANARY)).filter((name) => name !== 'idempotency')).toEqual([])
  } finally {
    await loom.close()
  }
}, 180_000)
