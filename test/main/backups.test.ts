import { readdir, readFile, rm, writeFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Desktop, openDesktop } from '../helpers/desktop.ts'
import { scratchHome } from '../helpers/headless.ts'

let home: string
let drop: () => Promise<void>
let loom: Desktop

beforeAll(async () => {
  ;({ home, drop } = await scratchHome())
  loom = await openDesktop(home)
}, 120_000)
afterAll(async () => {
  await loom.close()
  await drop()
})

const files = async () => (await readdir(join(home, 'backups'))).toSorted()
const archive = (id: string) => join(home, 'backups', `${id}.tar.gz`)
/** Subjects of the audit rows that an operation left. */
async function audited(op: string): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`SELECT subject FROM loom.audit WHERE op = ${op} ORDER BY audit_id`.execute(
    loom.database().reader,
  )
  return rows.map(({ subject }) => subject)
}
/** An empty ring, in which what a test makes is all there is. */
async function emptyRing(): Promise<void> {
  for (const name of await files()) await rm(join(home, 'backups', name))
}
const set = (memory_key: string, value: string) => loom.call('memory.set', { memory_key, value })

beforeEach(emptyRing)

describe('backup.create', { timeout: 60_000 }, () => {
  test('makes a checked copy outside the database, which is listed', async () => {
    await set('kettle', 'The kettle is blue.')
    const made = await loom.call('backup.create', { label: 'before the clean-up' })
    expect(made).toMatchObject({ label: 'before the clean-up', kind: 'manual', app_version: '0.1.0', erasure_seq: 0, damaged: false })
    expect(made.sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(await files()).toEqual([`${made.backup_id}.json`, `${made.backup_id}.tar.gz`])
    expect(await loom.call('backup.list', {})).toEqual({ backups: [made] })
    expect(await audited('backup.create')).toContain(`backup:-/-/-/${made.backup_id}`)
  })

  test('keeps the newest of all kinds, as many as the setting says', async () => {
    await loom.call('settings.set', { values: { 'backup.keep': 2 } })
    const ids = []
    for (let at = 0; at < 3; at++) ids.push((await loom.call('backup.create', { label: String(at) })).backup_id)
    const { backups } = await loom.call('backup.list', {})
    expect(backups.map((one) => one.backup_id)).toEqual([ids[2], ids[1]])
    expect(await files()).toHaveLength(4)
    await loom.call('settings.set', { values: { 'backup.keep': null } })
  })

  test('a second one meanwhile is refused, and the first goes on', async () => {
    const both = await Promise.allSettled([loom.call('backup.create', {}), loom.call('backup.create', {})])
    expect(both.map((one) => one.status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(both.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'IN_PROGRESS', fields: { retry_after_s: 5 } } })
  })

  test('a changed byte, a short file and a lost one are told as damaged, and refused', async () => {
    const [a, b, c] = [await loom.call('backup.create', {}), await loom.call('backup.create', {}), await loom.call('backup.create', {})]
    const bytes = await readFile(archive(a.backup_id))
    bytes[bytes.length >> 1]! ^= 0xff
    await writeFile(archive(a.backup_id), bytes)
    await truncate(archive(b.backup_id), 1000)
    await rm(archive(c.backup_id))
    const { backups } = await loom.call('backup.list', {})
    expect(backups.map((one) => one.damaged)).toEqual([true, true, true])
    for (const { backup_id } of backups)
      await expect(loom.call('backup.restore', { backup_id, confirm: backup_id })).rejects.toMatchObject({
        code: 'INVALID_ARGUMENT',
        fields: { field: 'backup_id' },
      })
    expect(await loom.call('memory.stats', {})).toBeTruthy()
  })

  test('what is not a setting of the call is refused', async () => {
    await expect(loom.call('backup.create', { label: 'x'.repeat(201) })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(loom.call('backup.create', { label: 'a\0b' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(loom.call('backup.create', { label: '\ud800' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await loom.call('backup.create', { label: '片付けの前' })).toMatchObject({ label: '片付けの前' })
  })
})

describe('backup.restore', { timeout: 60_000 }, () => {
  test('brings back what was there, keeps what is there now, and takes both ways', async () => {
    await set('kettle', 'The kettle is blue.')
    const { backup_id } = await loom.call('backup.create', {})
    await set('lamp', 'The lamp is brass.')
    await loom.call('memory.delete', { memory_key: 'kettle' })
    const done = await loom.call('backup.restore', { backup_id, confirm: backup_id })
    expect(done).toMatchObject({ restored: true, fences_applied: 0, rows: 1 })
    expect(await loom.call('memory.get', { memory_key: 'kettle' })).toMatchObject({ found: true, value: 'The kettle is blue.' })
    expect(await loom.call('memory.get', { memory_key: 'lamp' })).toMatchObject({ found: false })
    expect(await loom.call('memory.search', { query: 'what colour is the kettle' })).toMatchObject({ results: [{ memory_key: 'kettle' }] })
    await set('after', 'The cat sleeps on the sill.')

    const { backups } = await loom.call('backup.list', {})
    expect(backups.map(({ kind }) => kind)).toEqual(['before_restore', 'manual'])
    await loom.call('backup.restore', { backup_id: done.safety_backup_id, confirm: done.safety_backup_id })
    expect(await loom.call('memory.get', { memory_key: 'lamp' })).toMatchObject({ found: true })
    // Each restore is told in the store that it brought back; the first one went with the second.
    expect(await audited('backup.restore')).toEqual([`backup:-/-/-/${done.safety_backup_id}`])
    expect((await readdir(home)).filter((name) => name.startsWith('db'))).toEqual(['db'])
  })

  test('calls meanwhile are told to wait, and events go on', async () => {
    const { backup_id } = await loom.call('backup.create', {})
    const seen: string[] = []
    loom.engine.on((event) => void seen.push(event.type))
    const restoring = loom.call('backup.restore', { backup_id, confirm: backup_id })
    const codes = new Set<string>()
    let isOver = false
    void restoring.finally(() => (isOver = true))
    while (!isOver) {
      await loom.call('memory.get', { memory_key: 'x' }).catch((error: { code: string }) => codes.add(error.code))
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await restoring
    expect([...codes]).toEqual(['UNAVAILABLE'])
    seen.length = 0
    await set('after', 'The cat sleeps on the sill.')
    expect(seen).toContain('memory.changed')
  })

  test('asked again under the same key it answers as before and restores nothing', async () => {
    const { backup_id } = await loom.call('backup.create', {})
    const input = { backup_id, confirm: backup_id }
    const done = await loom.call('backup.restore', input, { idempotencyKey: 'k1' })
    await set('after', 'The cat sleeps on the sill.')
    expect(await loom.call('backup.restore', input, { idempotencyKey: 'k1' })).toEqual(done)
    expect(await loom.call('memory.get', { memory_key: 'after' })).toMatchObject({ found: true })
  })

  test('an id that is none, a confirm that is another and a newer schema are refused, and nothing changes', async () => {
    await set('kettle', 'The kettle is blue.')
    await expect(loom.call('backup.restore', { backup_id: 'bk_none', confirm: 'bk_none' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(loom.call('backup.restore', { backup_id: '../db', confirm: '../db' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    const made = await loom.call('backup.create', {})
    await expect(loom.call('backup.restore', { backup_id: made.backup_id, confirm: 'yes' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: { field: 'confirm' },
    })
    await writeFile(join(home, 'backups', `${made.backup_id}.json`), JSON.stringify({ ...made, schema_version: 999_999 }))
    await expect(loom.call('backup.restore', { backup_id: made.backup_id, confirm: made.backup_id })).rejects.toThrow('newer Loom')
    expect(await loom.call('memory.get', { memory_key: 'kettle' })).toMatchObject({ found: true })
  })
})
