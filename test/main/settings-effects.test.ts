import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { autoBackup } from '../../shared/engine/jobs/auto-backup.ts'
import { openBackups } from '../../shared/engine/backup/create-backups.ts'
import { NO_MODELS, openTestEngine } from '../helpers/engine.ts'
import { type Desktop, openDesktop } from '../helpers/desktop.ts'
import { scratchHome } from '../helpers/headless.ts'

describe('settings that take effect at once', { timeout: 120_000 }, () => {
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

  test('embedding.model: another model is taken up, and search says so until it is there; the first one comes back', async () => {
    await loom.call('memory.set', { memory_key: 'kettle', value: 'The kettle is blue.' })
    const models = async () => {
      const { rows } = await sql<{ model: string }>`SELECT DISTINCT model FROM loom.memory_embedding`.execute(loom.database().reader)
      return rows.map(({ model }) => model)
    }
    const [first] = await models()
    await mkdir(join(home, 'no-model'))
    await loom.call('settings.set', { values: { 'embedding.model': join(home, 'no-model') } })
    await vi.waitFor(async () => expect((await loom.call('engine.info', {})).embedder.state).toBe('unavailable'), { timeout: 60_000 })
    expect(await loom.call('memory.search', { query: 'blue kettle' })).toMatchObject({
      degraded: expect.arrayContaining(['embedder']) as string[],
    })
    await loom.call('memory.set', { memory_key: 'lamp', value: 'The lamp is brass.' })
    await loom.call('settings.set', { values: { 'embedding.model': null } })
    await vi.waitFor(async () => expect((await loom.call('engine.info', {})).embedder).toMatchObject({ model: first, state: 'ready' }), {
      timeout: 60_000,
    })
    await vi.waitFor(async () => {
      const { rows } = await sql<{ rows: number }>`SELECT count(DISTINCT memory_id)::int AS rows FROM loom.memory_embedding`.execute(
        loom.database().reader,
      )
      expect(rows[0]?.rows).toBe(2)
    }, 30_000)
    expect(await models()).toEqual([first])
  })

  test('sync.enabled: syncing is paused, and told as such', async () => {
    await loom.call('settings.set', { values: { 'sync.enabled': false } })
    expect(await loom.call('sync.status', {})).toMatchObject({ state: 'off' })
    await expect(loom.local().sync?.once()).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining('sync.enabled') as string,
    })
    await loom.call('settings.set', { values: { 'sync.enabled': null } })
  })
})

describe('backup.auto_hours', { timeout: 120_000 }, () => {
  test('makes a backup when the newest is that old, of whatever kind, and none when it is 0', async () => {
    const { home, drop } = await scratchHome()
    let now = Date.parse('2026-11-30T10:00:00Z')
    let hours = 24
    const madeAt = now
    const engine = await openTestEngine({ folder: home, models: NO_MODELS, clock: () => now })
    const backups = await openBackups({
      folder: join(home, 'backups'),
      objects: null,
      org: 'dev',
      clock: () => now,
      keep: () => 2,
      autoHours: () => hours,
      store: { store: () => engine.database, madeAt: () => madeAt },
    })
    const parts = { backups, clock: () => now, publish: () => {}, log: { info: () => {} } } as never
    const pass = async (): Promise<string[]> => {
      await autoBackup.run(parts, new AbortController().signal, {} as never)
      return (await backups.list()).map(({ kind, created_at }) => `${kind} ${created_at.slice(0, 16)}`)
    }
    expect(await pass()).toEqual([])
    now += 24 * 3_600_000
    expect(await pass()).toEqual(['auto 2026-12-01T10:00'])
    now += 3_600_000
    await backups.create('manual', '')
    now += 23 * 3_600_000
    expect(await pass()).toEqual(['manual 2026-12-01T11:00', 'auto 2026-12-01T10:00'])
    now += 3_600_000
    expect(await pass()).toEqual(['auto 2026-12-02T11:00', 'manual 2026-12-01T11:00'])
    hours = 0
    now += 1000 * 3_600_000
    expect(await pass()).toHaveLength(2)
    expect(await backups.count(new Date('2026-12-02T00:00:00Z'))).toBe(1)
    const { removed, made } = await backups.purge()
    expect([removed, (await backups.list()).map(({ backup_id }) => backup_id)]).toEqual([2, [made.backup_id]])
    expect(await readdir(join(home, 'backups'))).toHaveLength(2)
    await engine.close()
    await drop()
  })
})
