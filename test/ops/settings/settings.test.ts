import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { DESKTOP_SETTINGS, SETTING_KEYS, type SettingKey } from '../../../shared/contract/desktop-settings.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

let loom: TestEngine

beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS })
})
afterAll(() => loom.close())
afterEach(() => loom.call('settings.set', { values: Object.fromEntries(SETTING_KEYS.map((key) => [key, null])) }))

const set = (values: Record<string, unknown>) => loom.call('settings.set', { values: values as never })
const valueOf = async (key: SettingKey) => (await loom.call('settings.get', { keys: [key] })).settings[0]?.value
const auditRows = async () => {
  const { rows } = await sql<{ subject: string; actor: string }>`SELECT subject, actor FROM loom.audit WHERE op = 'settings.set'
    ORDER BY audit_id`.execute(loom.database.reader)
  return rows
}

describe('settings.get', () => {
  test('lists every setting of the reference with its type, default and whether it needs a restart', async () => {
    const { settings } = await loom.call('settings.get', {})
    expect(settings.map(({ key, type, default: usual, restart }) => [key, type, usual, restart])).toEqual([
      ['default_namespace', 'str', 'dev/local', false],
      ['embedding.model', 'str', 'all-MiniLM-L6-v2', false],
      ['server.port', 'int', 7777, true],
      ['server.http', 'bool', true, true],
      ['server.mcp', 'bool', true, true],
      ['sync.enabled', 'bool', true, false],
      ['backup.auto_hours', 'int', 24, false],
      ['backup.keep', 'int', 7, false],
      ['ui.theme', 'enum(system|light|dark)', 'system', false],
      ['ui.start_at_login', 'bool', false, false],
      // Of this build alone, beside those of the reference.
      ['ui.shortcut_write', 'str', 'Mod+Shift+M', false],
      ['ui.shortcut_search', 'str', 'Mod+Shift+Space', false],
      ['ui.tray', 'bool', true, false],
      ['ui.keep_running', 'bool', false, false],
      ['ui.notifications', 'bool', true, false],
    ])
    for (const one of settings)
      expect(one).toMatchObject({ value: one.default, source: 'default', description: expect.stringMatching(/\.$/) as string })
  })

  test('gives those that are named, in that order and once, and refuses one that is none', async () => {
    const { settings } = await loom.call('settings.get', { keys: ['ui.theme', 'backup.keep', 'ui.theme'] })
    expect(settings.map(({ key }) => key)).toEqual(['ui.theme', 'backup.keep'])
    await expect(loom.call('settings.get', { keys: ['backup.keep', 'backup.keeps'] })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      fields: { field: 'keys.1' },
    })
  })
})

describe('settings.set', () => {
  test('changes what is named, tells what changed, and null sets back', async () => {
    expect(await set({ 'backup.keep': 14, 'ui.theme': 'dark', 'sync.enabled': true })).toEqual({
      changed: ['backup.keep', 'ui.theme'],
      restart_needed: false,
    })
    expect(await valueOf('backup.keep')).toBe(14)
    expect((await loom.call('settings.get', { keys: ['ui.theme'] })).settings[0]).toMatchObject({ value: 'dark', source: 'file' })
    expect(await set({ 'backup.keep': null })).toEqual({ changed: ['backup.keep'], restart_needed: false })
    expect((await loom.call('settings.get', { keys: ['backup.keep'] })).settings[0]).toMatchObject({ value: 7, source: 'default' })
    expect(await set({ 'backup.keep': null })).toEqual({ changed: [], restart_needed: false })
    expect(await set({})).toEqual({ changed: [], restart_needed: false })
  })

  test('says when a restart is needed, and no more once it stands as it runs', async () => {
    expect(await set({ 'server.port': 7900 })).toEqual({ changed: ['server.port'], restart_needed: true })
    expect(await set({ 'ui.theme': 'dark' })).toEqual({ changed: ['ui.theme'], restart_needed: true })
    expect(await set({ 'server.port': 7777 })).toEqual({ changed: ['server.port'], restart_needed: false })
  })

  test.each([
    ['default_namespace', ['dev/x', 'dev/a-b.c_1'], ['local', 'dev/', '/x', 'dev/x/y', 'dev/X', 'acme/x', 'dev/\u3042', 7, '']],
    ['embedding.model', ['owner/model', '/models/mine', 'あ'], ['', ' a', 'a ', 'a\nb', 'a\0b', '\ud800', 'x'.repeat(501), 1]],
    ['server.port', [1024, 65_535], [1023, 65_536, 0, 7777.5, '7777', true]],
    ['server.http', [false], ['false', 0]],
    ['server.mcp', [false], [1, 'on']],
    ['sync.enabled', [false], ['no', 2]],
    ['backup.auto_hours', [0, 1, 87_600], [-1, 1.5, '24', 87_601]],
    ['backup.keep', [1, 50], [0, 51, 2.5, '7', false]],
    ['ui.theme', ['light', 'dark'], ['Dark', '', 1, ['dark']]],
    ['ui.start_at_login', [true], ['true', 1, {}]],
  ] as const)('%s takes what it may be, and nothing else', async (key, good, bad) => {
    for (const value of good) {
      await set({ [key]: value })
      expect(await valueOf(key)).toBe(value)
    }
    const before = await valueOf(key)
    for (const value of bad)
      await expect(set({ [key]: value }), `${key} = ${JSON.stringify(value)}`).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await valueOf(key)).toBe(before)
  })

  test('stores nothing unless all are good', async () => {
    const rows = (await auditRows()).length
    await expect(set({ 'ui.theme': 'dark', 'backup.keep': 51 })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: 'backup.keep: it must be a whole number from 1 to 50.',
      fields: { field: 'values.backup.keep' },
    })
    await expect(set({ 'ui.theme': 'dark', 'ui.themes': 'dark' })).rejects.toThrow(
      'There is no setting "ui.themes". The settings are default_namespace',
    )
    await expect(set({ 'ui.theme': 'dark', constructor: 'x' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await valueOf('ui.theme')).toBe('system')
    expect(await auditRows()).toHaveLength(rows)
  })

  test('leaves one audit row for each setting that changed, and no value in it', async () => {
    const before = (await auditRows()).length
    await set({ 'ui.theme': 'light', 'backup.keep': 9, 'sync.enabled': true })
    expect((await auditRows()).slice(before)).toEqual([
      { subject: 'setting:-/-/-/ui.theme', actor: 'human:local' },
      { subject: 'setting:-/-/-/backup.keep', actor: 'human:local' },
    ])
  })

  test('two calls at once both hold, and the same one twice changes once', async () => {
    const answers = await Promise.all([set({ 'backup.keep': 3 }), set({ 'ui.theme': 'dark' }), set({ 'backup.keep': 3 })])
    expect(answers.flatMap(({ changed }) => changed).toSorted()).toEqual(['backup.keep', 'ui.theme'])
    expect([await valueOf('backup.keep'), await valueOf('ui.theme')]).toEqual([3, 'dark'])
  })

  test('tells the windows, once it is stored', async () => {
    const seen: unknown[] = []
    const stop = loom.engine.on((event) => void (event.type === 'settings.changed' && seen.push(event)))
    await set({ 'ui.theme': 'dark' })
    await set({ 'ui.theme': 'dark' })
    stop()
    expect(seen).toEqual([{ type: 'settings.changed', keys: ['ui.theme'] }])
  })

  test('calls that name none go where default_namespace says, at once', async () => {
    await set({ default_namespace: 'dev/garden' })
    const put = await loom.call('memory.set', { memory_key: 'rose', value: 'The rose is by the gate.' })
    expect(await loom.call('memory.get', { namespace: 'garden', memory_key: 'rose' })).toMatchObject({
      found: true,
      memory_id: put.memory_id,
    })
    expect(await loom.call('memory.get', { namespace: 'local', memory_key: 'rose' })).toMatchObject({ found: false })
    await set({ default_namespace: null })
    expect(await loom.call('memory.get', { memory_key: 'rose' })).toMatchObject({ found: false })
  })

  test('every default fits its own setting', () => {
    for (const key of SETTING_KEYS) expect(DESKTOP_SETTINGS[key].schema.safeParse(DESKTOP_SETTINGS[key].default).success, key).toBe(true)
  })
})

test('whoever is no platform admin is refused, and a server has no such operations', async () => {
  const admin = { ...localClaims('human', 'ada'), grants: { '*': 'org_admin' as const } }
  await expect(loom.call('settings.get', {}, { claims: admin })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  await expect(loom.call('settings.set', { values: {} }, { claims: admin })).rejects.toMatchObject({ code: 'FORBIDDEN' })
  const server = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS })
  await expect(server.call('settings.get', {})).rejects.toMatchObject({ code: 'UNKNOWN_OPERATION', fields: { host_needed: 'desktop' } })
  await expect(server.call('backup.list', {})).rejects.toMatchObject({ code: 'UNKNOWN_OPERATION', fields: { host_needed: 'desktop' } })
  await server.close()
})
