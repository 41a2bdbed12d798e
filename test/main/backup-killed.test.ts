import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cleanEnv, type Headless, post, scratchHome, startHeadless } from '../helpers/headless.ts'

const ROUNDS = 4

let home: string
let drop: () => Promise<void>
let host: Headless | null = null
beforeEach(async () => {
  ;({ home, drop } = await scratchHome())
})
afterEach(async () => {
  await host?.stop('SIGKILL')
  await drop()
})

const start = async (): Promise<Headless> => (host = await startHeadless(cleanEnv({ LOOM_HOME: home })))
const call = async (at: Headless, op: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> => {
  const { status, body } = await post(at.url, op, input)
  expect(status, `${op}: ${JSON.stringify(body)}`).toBe(200)
  return body
}
interface Listed {
  readonly backup_id: string
  readonly damaged: boolean
}
const ring = async (at: Headless) => (await call(at, 'backup.list'))['backups'] as Listed[]
const valueOf = async (at: Headless) => (await call(at, 'memory.get', { memory_key: 'kettle' }))['value']
/** Waits for a moment of something that takes so long undisturbed, the time after its end among them. */
const aMomentOf = (ms: number) => sleep(Math.random() * ms * 1.1)
/** What lies in the ring besides whole backups, and beside the database. */
async function leftovers(): Promise<string[]> {
  const inRing = existsSync(join(home, 'backups')) ? await readdir(join(home, 'backups')) : []
  const beside = (await readdir(home)).filter((name) => name.startsWith('db') && name !== 'db')
  return [...inRing.filter((name) => name.endsWith('.new')), ...beside]
}

test(`a SIGKILL in the middle of a backup leaves the ring as it was, ${ROUNDS} times`, { timeout: 240_000 }, async () => {
  let loom = await start()
  await call(loom, 'memory.set', { memory_key: 'kettle', value: 'The kettle is blue.' })
  const from = performance.now()
  const { backup_id, sha256 } = await call(loom, 'backup.create')
  const took = performance.now() - from
  const known = new Set([backup_id])
  for (let round = 0; round < ROUNDS; round++) {
    const making = post(loom.url, 'backup.create', {}).catch(() => null)
    await aMomentOf(took)
    await loom.stop('SIGKILL')
    const done = await making
    if (done?.status === 200) known.add(done.body['backup_id'])
    loom = await start()
    const now = await ring(loom)
    // One that was whole when the process died may be there although nobody was told.
    for (const one of now) known.add(one.backup_id)
    expect(now.map(({ damaged }) => damaged)).toEqual(now.map(() => false))
    expect(now).toContainEqual(expect.objectContaining({ backup_id, sha256 }))
    expect(now).toHaveLength(known.size)
    expect(await leftovers()).toEqual([])
  }
  expect(await call(loom, 'backup.restore', { backup_id, confirm: backup_id })).toMatchObject({ restored: true, rows: 1 })
})

test(`a SIGKILL in the middle of a restore leaves one store or the other, ${ROUNDS} times`, { timeout: 240_000 }, async () => {
  let loom = await start()
  await call(loom, 'memory.set', { memory_key: 'kettle', value: 'The kettle is blue.' })
  const { backup_id } = await call(loom, 'backup.create')
  await call(loom, 'settings.set', { values: { 'backup.keep': 50 } })
  const from = performance.now()
  await call(loom, 'backup.restore', { backup_id, confirm: backup_id })
  const took = performance.now() - from
  for (let round = 0; round < ROUNDS; round++) {
    const value = `The kettle was painted green in round ${round}.`
    await call(loom, 'memory.update', { memory_key: 'kettle', value })
    const restoring = post(loom.url, 'backup.restore', { backup_id, confirm: backup_id }).catch(() => null)
    await aMomentOf(took)
    await loom.stop('SIGKILL')
    await restoring
    loom = await start()
    expect([value, 'The kettle is blue.']).toContain(await valueOf(loom))
    expect(await leftovers()).toEqual([])
    expect((await ring(loom)).every(({ damaged }) => !damaged)).toBe(true)
  }
})
