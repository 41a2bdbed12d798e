import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { brokenPromises } from '../../helpers/invariants.ts'
import { smallDisk, type SmallDisk } from '../../helpers/small-disk.ts'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const SEGMENT = 16 * 2 ** 20
const MOST = 200

let disk: SmallDisk
let loom: TestEngine
const open = () => openTestEngine({ models: NO_MODELS, folder: disk.folder })
beforeEach(async () => {
  disk = await smallDisk(256)
  loom = await open()
})
afterEach(async () => {
  await loom.close()
  await disk[Symbol.asyncDispose]()
})

/** As large as it looks: nothing of it can be compressed. */
const set = (memory_key: string) => loom.call('memory.set', { memory_key, value: randomBytes(15_000).toString('base64') })

/** Writes until the disk refuses one, and answers those that were taken. */
async function untilFull(prefix: string): Promise<string[]> {
  const taken: string[] = []
  for (let n = 0; n < MOST; n++) {
    const key = `${prefix}/${n}`
    try {
      await set(key)
    } catch (error) {
      expect(error).toMatchObject({ code: 'STORAGE_FULL' })
      return taken
    }
    taken.push(key)
  }
  throw new Error('the disk took everything')
}

const keys = async (): Promise<string[]> =>
  (await sql<{ key: string }>`SELECT memory_key AS key FROM loom.memory ORDER BY 1`.execute(loom.database.reader)).rows.map(
    ({ key }) => key,
  )

/** There is no model here, and so are no vectors. */
const broken = async () => (await brokenPromises(loom.database, 'local')).filter((one) => !JSON.stringify(one).includes('not embedded'))

test('a table that finds no room refuses the write, and takes it once there is some', async () => {
  await set('first')
  await disk.fill(200_000)
  const taken = await untilFull('table')
  await expect(set('again')).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  expect(await loom.call('memory.get', { memory_key: 'first' })).toMatchObject({ found: true })
  await disk.makeRoom()
  await set('again')
  expect(await keys()).toEqual(['again', 'first', ...taken].toSorted())
  expect(await broken()).toEqual([])
})

test('a log that finds no room ends Postgres: it is said, nothing hangs, and it is opened again by itself', async () => {
  await set('first')
  const left = async (): Promise<number> => {
    const { rows } = await sql<{
      left: string
    }>`SELECT (${SEGMENT} - (pg_current_wal_insert_lsn() - '0/0'::pg_lsn) % ${SEGMENT})::text AS left`.execute(loom.database.reader)
    return Number(rows[0]?.left)
  }
  const taken: string[] = []
  for (let n = 0; (await left()) > 600_000; n++) {
    await set(`log/${n}`)
    taken.push(`log/${n}`)
  }
  await disk.fill(6_000_000)
  taken.push(...(await untilFull('end')))
  // Room enough for a table: it was the log.
  expect(await disk.free()).toBeGreaterThan(1_000_000)
  await expect(set('again')).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  await expect(loom.call('memory.get', { memory_key: 'first' })).rejects.toMatchObject({ code: 'STORAGE_FULL' })
  await disk.makeRoom()
  await expect.poll(() => set('again').then((answer) => answer.status), { timeout: 10_000 }).toBe('active')
  expect(await keys()).toEqual(['again', 'first', ...taken].toSorted())
  expect(await broken()).toEqual([])
  // What it was opened with first is what it is open with again.
  const before = (loom.database as unknown as { fsyncs(): number }).fsyncs()
  await set('durable')
  expect((loom.database as unknown as { fsyncs(): number }).fsyncs()).toBeGreaterThan(before)
  await loom.close()
  loom = await open()
  expect((await keys()).length).toBe(taken.length + 3)
})
