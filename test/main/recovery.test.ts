import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toConfig } from '../../main/config.ts'
import { placesOf, recover } from '../../main/recovery.ts'
import { OpenFault } from '../../shared/contract/recovery.ts'
import { openPglite } from '../../shared/engine/db/pglite.ts'
import { entriesOf } from '../../shared/engine/db/disk-sync.ts'
import { openDesktop } from '../helpers/desktop.ts'
import { cleanEnv, runBuilt, scratchHome, startHeadless } from '../helpers/headless.ts'

/** A data folder with a backup and memories newer than it; each test works on a copy. */
let whole: string
let folder: string
let drop: () => Promise<void>
let home: string
let backupId: string
let number = 0

beforeAll(async () => {
  const scratch = await scratchHome()
  drop = scratch.drop
  folder = join(scratch.home, '..')
  whole = join(folder, 'whole')
  const loom = await openDesktop(whole)
  for (let at = 0; at < 40; at++) await loom.call('memory.set', { memory_key: `shelf/${at}`, value: `Shelf ${at} holds part ${at * 7}.` })
  backupId = (await loom.call('backup.create', { label: 'before the storm' })).backup_id
  for (const at of [1, 2, 3]) await loom.call('memory.set', { memory_key: `late/${at}`, value: `Note ${at} came after the backup.` })
  await loom.call('knowledge.add', { source: 'note.txt', content_base64: Buffer.from('The boiler is serviced in May.').toString('base64') })
  await loom.close()
}, 120_000)
afterAll(() => drop())
beforeEach(async () => {
  home = join(folder, `home-${number++}`)
  await cp(whole, home, { recursive: true })
})

const config = () => toConfig({ LOOM_HOME: home }).desktop
/** What becomes of the files is looked at: nobody waits for an embedding model. */
const open = () => openDesktop(home, { LOOM_EMBEDDING_MODEL: '/none' })
const opening = () => open().then(async (loom) => loom.close())
/** What there is of a folder, byte for byte. */
async function bytesOf(path: string): Promise<string> {
  const { files } = await entriesOf(path)
  const digest = createHash('sha256')
  for (const file of files.toSorted()) digest.update(`${file}\0`).update(await readFile(join(path, file)))
  return digest.digest('hex')
}
const aside = async () => (await readdir(home)).filter((name) => name.startsWith('db.damaged-'))

/** Ways in which a folder is damaged. */
const DAMAGE = {
  'its control file is gone': () => rm(join(home, 'db', 'global', 'pg_control')),
  'its control file is overwritten': () => writeFile(join(home, 'db', 'global', 'pg_control'), Buffer.alloc(8192, 7)),
  'its log is gone': async () => {
    await rm(join(home, 'db', 'pg_wal'), { recursive: true })
    await mkdir(join(home, 'db', 'pg_wal'))
  },
  'a catalogue of it is cut short': () => overwrite('pg_class', (bytes) => bytes.subarray(0, 3000)),
  'a page of its memories is overwritten': () => overwrite('loom.memory', (bytes) => garbled(bytes, 0)),
}

function garbled(bytes: Buffer, page: number): Buffer {
  const copy = Buffer.from(bytes)
  for (let at = page * 8192 + 2000; at < page * 8192 + 6000; at++) copy[at] = (copy[at] ?? 0) ^ 0x5a
  return copy
}

/** Changes the file of a table. */
async function overwrite(table: string, change: (bytes: Buffer) => Buffer): Promise<void> {
  const dataDir = join(home, 'db')
  const database = await openPglite({ dataDir })
  const { rows } = await database.pg.query<{ path: string }>(`SELECT pg_relation_filepath('${table}') AS path`)
  await database.close()
  const file = join(dataDir, rows[0]?.path ?? '')
  await writeFile(file, change(await readFile(file)))
}

describe('a database that cannot be opened', { timeout: 120_000 }, () => {
  test.each(Object.keys(DAMAGE) as (keyof typeof DAMAGE)[])('says so in words, and no further start writes to it: %s', async (how) => {
    await DAMAGE[how]()
    const error = await opening().then(
      () => null,
      (reason: unknown) => reason as { code: string; message: string; fields: Record<string, unknown> },
    )
    expect(error).toMatchObject({ code: 'UNAVAILABLE' })
    expect(error?.message).toMatch(/^Loom cannot open its database\. .+ Nothing of it has been deleted\. `loom recover`/)
    expect(OpenFault.parse(error?.fields['recovery']).kind).toBe('damaged')
    const before = await bytesOf(join(home, 'db'))
    await expect(opening()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await bytesOf(join(home, 'db'))).toBe(before)

    const counted = await recover(config(), { do: 'survey' })
    expect(counted).toMatchObject({ did: 'survey', survey: { backup_id: backupId, rows: 40 } })
    expect(await bytesOf(join(home, 'db'))).toBe(before)
    const done = await recover(config(), { do: 'restore', backup_id: backupId })
    expect(done).toMatchObject({ did: 'restore', rows: 40 })
    expect(await bytesOf(join(home, (await aside())[0] ?? ''))).toBe(before)
    const loom = await open()
    expect(await loom.call('memory.get', { memory_key: 'shelf/7' })).toMatchObject({ found: true })
    expect(await loom.call('memory.get', { memory_key: 'late/1' })).toMatchObject({ found: false })
    const { rows } = await sql<{ op: string }>`SELECT op FROM loom.audit WHERE op = 'backup.restore'`.execute(loom.database().reader)
    expect(rows).toHaveLength(1)
    await loom.close()
    // And from then on as ever.
    await opening()
    expect(await bytesOf(join(home, (await aside())[0] ?? ''))).toBe(before)
    expect((await readdir(home)).filter((name) => name.includes('unpacked') || name === 'recovery.json')).toEqual([])
  })

  test('of which most can be read gives that, as loom import reads it back', async () => {
    await DAMAGE['a page of its memories is overwritten']()
    await expect(opening()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const before = await bytesOf(join(home, 'db'))
    const into = join(home, '..', `out-${number}`)
    const done = await recover(config(), { do: 'export', folder: into })
    if (done.did !== 'export') throw new Error('not an export')
    // One page of three is overwritten in part: the other two come whole.
    expect(done.memories).toBeGreaterThanOrEqual(23)
    expect(done.unreadable).toBeGreaterThan(0)
    expect(await bytesOf(join(home, 'db'))).toBe(before)
    const lines = (await readFile(join(into, 'dev/local/03-memory.jsonl'), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(done.memories + 1)
    await expect(recover(config(), { do: 'export', folder: into })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })

    await recover(config(), { do: 'fresh' })
    const imported = await runBuilt('cli.js', ['import', join(into, 'dev/local')], cleanEnv({ LOOM_HOME: home }))
    expect(imported.code, imported.stderr).toBe(0)
    const loom = await open()
    const listed = await loom.call('memory.list', { with_total: true })
    expect(listed.total).toBe(done.memories)
    await loom.close()
  })

  test('of which nothing can be read says that, and writes nothing', async () => {
    await DAMAGE['its control file is gone']()
    await expect(opening()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const into = join(home, '..', `none-${number}`)
    await expect(recover(config(), { do: 'export', folder: into })).rejects.toThrow('Nothing of the database can be read')
  })

  test('is kept beside a fresh one, with the originals of its documents', async () => {
    await DAMAGE['its control file is gone']()
    await expect(opening()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const [before, originals] = [await bytesOf(join(home, 'db')), await bytesOf(join(home, 'objects'))]
    await recover(config(), { do: 'fresh' })
    const loom = await open()
    expect(await loom.call('memory.list', { with_total: true })).toMatchObject({ total: 0 })
    await loom.close()
    expect(await bytesOf(join(home, (await aside())[0] ?? ''))).toBe(before)
    const kept = (await readdir(home)).find((name) => name.startsWith('objects.damaged-')) ?? ''
    expect(await bytesOf(join(home, kept))).toBe(originals)
  })

  test('a restore killed between its renames leaves the damaged one in its place, and never an empty memory', async () => {
    await DAMAGE['its control file is gone']()
    await expect(opening()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const before = await bytesOf(join(home, 'db'))
    const note = JSON.parse(await readFile(join(home, 'recovery.json'), 'utf8')) as { fault: unknown }
    const { dataDir } = placesOf(config())
    await rename(dataDir, `${dataDir}.damaged-x`)
    await writeFile(join(home, 'recovery.json'), JSON.stringify({ ...note, moves: [{ from: dataDir, to: `${dataDir}.damaged-x` }] }))
    await expect(opening()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await bytesOf(dataDir)).toBe(before)
    expect(existsSync(`${dataDir}.damaged-x`)).toBe(false)
  })

  test('a backup that is damaged itself is refused, and nothing is moved', async () => {
    await DAMAGE['its control file is gone']()
    await expect(opening()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    const archive = join(home, 'backups', `${backupId}.tar.gz`)
    await writeFile(archive, (await readFile(archive)).subarray(0, 5000))
    await expect(recover(config(), { do: 'restore', backup_id: backupId })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await aside()).toEqual([])
  })

  test('because a newer Loom wrote it is tried again by every start, and can be exported', async () => {
    const database = await openPglite({ dataDir: join(home, 'db') })
    await database.pg.exec("INSERT INTO loom.schema_migration (version, name) VALUES (9999, 'of tomorrow')")
    await database.close()
    await expect(opening()).rejects.toMatchObject({ fields: { recovery: { kind: 'newer_schema' } } })
    const into = join(home, '..', `newer-${number}`)
    expect(await recover(config(), { do: 'export', folder: into })).toMatchObject({ did: 'export', memories: 43, unreadable: 0, cut: [] })
    const again = await openPglite({ dataDir: join(home, 'db') }).catch(() => null)
    expect(again).toBeNull()
  })
})

describe('without a window', { timeout: 120_000 }, () => {
  test('a start says what happened and every way on, and loom recover goes them', async () => {
    await DAMAGE['its control file is gone']()
    const env = cleanEnv({ LOOM_HOME: home })
    await expect(startHeadless(env)).rejects.toThrow(/Loom cannot open its database[\s\S]+loom recover restore/)
    const looked = await runBuilt('cli.js', ['recover'], env)
    expect(looked.code, looked.stderr).toBe(0)
    expect(looked.stdout).toContain(backupId)
    expect(looked.stdout).toContain('The newest has 40 memories.')
    for (const way of ['restore', 'export', 'fresh', 'retry']) expect(looked.stdout).toContain(`loom recover ${way}`)
    expect(await runBuilt('cli.js', ['recover', 'restroe'], env)).toMatchObject({ code: 2 })
    const restored = await runBuilt('cli.js', ['recover', 'restore'], env)
    expect(restored).toMatchObject({ code: 0 })
    expect(restored.stdout).toMatch(/^Restored: 40 memories\. The damaged database is kept in .+db\.damaged-/)
    const host = await startHeadless(env)
    await host.stop()
    const nothing = await runBuilt('cli.js', ['recover'], env)
    expect(nothing.stdout).toContain('There is nothing to recover')
  })

  test('retry lets the next start try again: what was mended meanwhile opens', async () => {
    const control = join(home, 'db', 'global', 'pg_control')
    const bytes = await readFile(control)
    await rm(control)
    const env = cleanEnv({ LOOM_HOME: home })
    await expect(startHeadless(env)).rejects.toThrow('cannot open its database')
    await writeFile(control, bytes)
    await expect(startHeadless(env)).rejects.toThrow('cannot open its database')
    expect(await runBuilt('cli.js', ['recover', 'retry'], env)).toMatchObject({ code: 0 })
    await (await startHeadless(env)).stop()
  })
})
