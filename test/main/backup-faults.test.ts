import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdir, readdir, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPglite } from '../../shared/engine/db/pglite.ts'
import { type Desktop, openDesktop } from '../helpers/desktop.ts'
import { scratchHome } from '../helpers/headless.ts'
import { brokenPromises } from '../helpers/invariants.ts'
import { filesWith } from '../helpers/raw-files.ts'

const WRITERS = 20

let home: string
let drop: () => Promise<void>
let loom: Desktop
/** Every line of its log, at the finest level. */
const logged: string[] = []

beforeAll(async () => {
  ;({ home, drop } = await scratchHome())
  loom = await openDesktop(home, {}, { logger: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }) })
}, 120_000)
afterAll(async () => {
  await loom.close()
  await drop()
})

describe('a backup', { timeout: 120_000 }, () => {
  test(`made while ${WRITERS} writers write holds all that was answered before it, and nothing by half`, async () => {
    let isOver = false
    const answered: { key: string; at: number }[] = []
    const writer = async (name: number): Promise<void> => {
      for (let count = 0; !isOver; count++) {
        const key = `w${name}/${count}`
        await loom.call('memory.set', {
          namespace: 'busy',
          memory_key: key,
          value: `Shelf ${name}-${count} holds ${randomBytes(3).toString('hex')}.`,
        })
        answered.push({ key, at: performance.now() })
      }
    }
    const writing = Promise.all(Array.from({ length: WRITERS }, (_, name) => writer(name)))
    while (answered.length < WRITERS) await new Promise((resolve) => setTimeout(resolve, 20))
    const began = performance.now()
    const { backup_id } = await loom.call('backup.create', { label: 'busy' })
    isOver = true
    await writing
    await loom.call('backup.restore', { backup_id, confirm: backup_id })
    expect(await brokenPromises(loom.database(), 'busy')).toEqual([])
    const { rows } = await sql<{ memory_key: string }>`SELECT memory_key FROM loom.memory WHERE namespace = 'busy'`.execute(
      loom.database().reader,
    )
    const there = new Set(rows.map(({ memory_key }) => memory_key))
    const before = answered.filter(({ at }) => at < began).map(({ key }) => key)
    expect(before.length).toBeGreaterThan(0)
    expect(before.filter((key) => !there.has(key))).toEqual([])
  })

  // Too small for the copy, for what opening it writes, and for the packed file beside it.
  test.each([4, 43, 46])('that a disk of %i MB has no room for is a typed error, and the ring stays', async (megabytes) => {
    const other = join(home, `small-${megabytes}`)
    const folder = join(other, 'backups')
    await mkdir(folder, { recursive: true })
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder])
    expect(mounted.status, 'this test needs a small disk of its own').toBe(0)
    const small = await openDesktop(other)
    try {
      await expect(small.call('backup.create', {})).rejects.toMatchObject({ code: 'STORAGE_FULL' })
      expect(await readdir(folder)).toEqual([])
      // A file that stays open goes on taking up room when there is none.
      await expect.poll(() => openFilesIn(folder), { timeout: 10_000 }).toEqual([])
      expect(await small.call('memory.set', { memory_key: 'a', value: 'The lamp is brass.' })).toMatchObject({ status: 'active' })
    } finally {
      await small.close()
      spawnSync('umount', [folder])
    }
  })

  test('and a restore that was killed between its two renames: the store that was set aside comes back', async () => {
    const other = join(home, 'other')
    const first = await openDesktop(other)
    await first.call('memory.set', { memory_key: 'kettle', value: 'The kettle is blue.' })
    await first.close()
    await rename(join(other, 'db'), join(other, 'db.old'))
    const second = await openDesktop(other)
    expect(await second.call('memory.get', { memory_key: 'kettle' })).toMatchObject({ found: true })
    await second.close()
    // Killed after both: what was set aside goes.
    await mkdir(join(other, 'db.old'))
    await writeFile(join(other, 'db.old', 'PG_VERSION'), '18')
    await (await openDesktop(other)).close()
    expect((await readdir(other)).filter((name) => name.startsWith('db'))).toEqual(['db'])
  })

  test('is made before an older schema is brought up to date', async () => {
    const folder = join(home, 'older')
    await (await openPglite({ dataDir: folder })).close()
    const old = await openPglite({ dataDir: folder })
    await sql`DELETE FROM loom.schema_migration WHERE version = (SELECT max(version) FROM loom.schema_migration)`.execute(old.reader)
    await old.close()
    const seen: number[] = []
    const opening = openPglite({
      dataDir: folder,
      beforeMigrate: async (_store, from) => {
        seen.push(from)
        throw new Error('no room for a backup')
      },
    })
    await expect(opening).rejects.toThrow('no room for a backup')
    expect(seen).toHaveLength(1)
    await rm(folder, { recursive: true })
  })
})

describe('an erasure', { timeout: 120_000 }, () => {
  test('holds in a backup of before it: what it took is gone again before anything is served', async () => {
    const place = { namespace: 'erased', user_id: 'u-7' }
    await loom.call('memory.set', { ...place, memory_key: 'gone', value: 'The gate code is on the blue card.' })
    await loom.call('memory.set', { ...place, user_id: 'u-8', memory_key: 'stays', value: 'The cat sleeps on the sill.' })
    const { backup_id } = await loom.call('backup.create', {})
    const request = { org: 'dev', scope_type: 'user_id' as const, scope_value: 'u-7', requester: 'dpo@example.org' }
    expect(await loom.call('erasure.request', request)).toMatchObject({ status: 'completed' })
    const done = await loom.call('backup.restore', { backup_id, confirm: backup_id })
    expect(done).toMatchObject({ restored: true, fences_applied: 1 })
    expect(await loom.call('memory.get', { ...place, memory_key: 'gone' })).toMatchObject({ found: false })
    expect(await loom.call('memory.get', { ...place, user_id: 'u-8', memory_key: 'stays' })).toMatchObject({ found: true })
  })
})

describe('a purge', { timeout: 120_000 }, () => {
  test('takes the old backups with it: no file of the data folder holds a byte of what is gone', async () => {
    const mark = randomBytes(5).toString('hex')
    await loom.call('memory.set', {
      memory_key: `secret/${mark}`,
      value: `The canary ${mark} sings.`,
      tags: [`tag-${mark}`],
      user_id: `u-${mark}`,
    })
    await loom.call('memory.set', { memory_key: `秘密/${mark}`, value: `カナリア${mark}が歌う。`, user_id: `u-${mark}` })
    const { backup_id } = await loom.call('backup.create', {})
    // Kept from before, beside what took its place.
    await mkdir(join(home, 'db.damaged-20260101-0101'))
    await writeFile(join(home, 'db.damaged-20260101-0101', 'page'), `The canary ${mark} sings.`)
    expect(await filesWith(home, [mark])).not.toEqual([])
    const done = await loom.call('erasure.request', {
      org: 'dev',
      scope_type: 'user_id',
      scope_value: `u-${mark}`,
      requester: 'dpo@example.org',
      purge: true,
    })
    expect(done).toMatchObject({ status: 'completed', residue_count: 0 })
    expect(logged.length).toBeGreaterThan(0)
    expect(logged.filter((line) => line.includes(mark))).toEqual([])
    const left = await loom.call('backup.list', {})
    expect(left.backups).toHaveLength(1)
    expect(left.backups[0]).toMatchObject({ kind: 'auto', damaged: false })
    expect(left.backups[0]?.backup_id).not.toBe(backup_id)
    expect(await filesWith(home, [`canary ${mark}`, `secret/${mark}`, `tag-${mark}`, `カナリア${mark}`, `秘密/${mark}`])).toEqual([])
  })
})

/** Files of a folder that this process has open, deleted ones too; none where the system does not tell. */
async function openFilesIn(folder: string): Promise<string[]> {
  const descriptors = await readdir('/proc/self/fd').catch(() => [])
  const paths = await Promise.all(descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')))
  return paths.filter((path) => path.startsWith(folder))
}
