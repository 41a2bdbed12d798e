import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { rotateAll } from '../../shared/engine/shapes/handles.ts'
import { fileSecrets } from '../../shared/engine/sync/desktop/secrets.ts'
import { openTeam, until, type Desktop, type Team } from './team.ts'

const PLACE = { org: 'acme', namespace: 'chat', agent: 'a' } as const

let team: Team
let url: string

beforeAll(async () => {
  team = await openTeam()
  url = team.server.url.replace('/v1/shape', '')
}, 180_000)
afterAll(() => team.close())

const at = (key: string): string => `chat|a|-|${key}`
const set = (desktop: Desktop, key: string, value: string, namespace = 'chat') =>
  desktop.call('memory.set', { ...PLACE, namespace, memory_key: key, value })

describe('connecting', () => {
  test('a code is redeemed once, and the status says where it leads', async () => {
    const desktop = await team.desktop({ connect: false })
    expect(await desktop.call('sync.status', {})).toMatchObject({ state: 'off', server_url: '', shapes: [] })
    expect(await desktop.call('engine.info', {})).toMatchObject({ sync: { state: 'off', queued: 0, inbox: 0 } })
    const { code } = await team.code({ chat: 'writer', ops: 'viewer' }, 'carol')
    await expect(desktop.call('sync.connect', { server_url: 'http://example.com', code })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    await expect(desktop.call('sync.connect', { server_url: url, code: '0000-0000-0000' })).rejects.toMatchObject({ code: 'NOT_FOUND' })
    await expect(desktop.call('sync.connect', { server_url: url, code, use_namespace: 'sales' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
    })
    const link = `loom://pair?server=${encodeURIComponent(url)}&code=${code}`
    const made = await desktop.call('sync.connect', { link, use_namespace: 'chat', device_name: 'the blue one' })
    expect(made).toMatchObject({ org: 'acme', subject: 'carol', grants: { chat: 'writer', ops: 'viewer' } })
    await expect(desktop.call('sync.connect', { link })).rejects.toMatchObject({ code: 'ALREADY_EXISTS' })
    await desktop.sync()
    const status = await desktop.call('sync.status', {})
    expect(status).toMatchObject({ state: 'idle', org: 'acme', subject: 'carol', device_id: made.device_id, queued: 0, error: null })
    const { devices } = await desktop.call('device.list', {})
    expect(devices.find((device) => device.device_id === made.device_id)).toMatchObject({ name: 'the blue one', subject: 'carol' })
    expect(status.shapes.find((shape) => shape.table === 'memory')).toMatchObject({ up_to_date: true, refetching: false })
  })

  test('calls that name no namespace use use_namespace; rights are those of the device, and org dev stays whole', async () => {
    const desktop = await team.desktop({ grants: { chat: 'writer', ops: 'viewer' }, subject: 'dora' })
    const made = await desktop.call('memory.set', { agent: 'a', memory_key: 'dora/1', value: 'Dora is here.' })
    expect(made.namespace).toBe('chat')
    await expect(set(desktop, 'dora/2', 'Not hers.', 'ops')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(set(desktop, 'dora/2', 'Not there.', 'sales')).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await desktop.call('memory.set', { org: 'dev', memory_key: 'dora/private', value: 'Hers alone.' })
    expect(await desktop.call('memory.get', { org: 'dev', memory_key: 'dora/private' })).toMatchObject({ found: true, namespace: 'local' })
    await desktop.sync()
    expect((await team.heads()).has(at('dora/1'))).toBe(true)
  })

  test('operations of the server are sent to it, and answer UNAVAILABLE when it cannot be reached', async () => {
    const desktop = await team.desktop({ grants: { '*': 'org_admin' }, subject: 'eve' })
    await desktop.call('namespace.register', { org: 'acme', namespace: 'sales' })
    const { rows } = await sql<{
      registered: boolean
    }>`SELECT registered FROM loom.namespace WHERE org = 'acme' AND namespace = 'sales'`.execute(team.server.loom.database.reader)
    expect(rows).toEqual([{ registered: true }])
    expect((await desktop.call('device.list', {})).devices.length).toBeGreaterThan(0)
    desktop.wire.mode = 'cut'
    await expect(desktop.call('namespace.register', { org: 'acme', namespace: 'more' })).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect((await desktop.call('sync.status', {})).queued).toBe(0)
    await expect(desktop.sync()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await desktop.call('sync.status', {})).toMatchObject({ state: 'offline', error: { code: 'UNAVAILABLE' } })
    desktop.wire.mode = 'open'
  })

  test('after a restart the queue, the token and the place in each shape are as they were', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'loom-sync-'))
    const engine = { folder }
    const first = await team.desktop({ engine, secrets: fileSecrets(folder) })
    await first.sync()
    await set(first, 'restart/1', 'Written before the restart.')
    await first.close()
    const second = await team.desktop({ connect: false, engine, secrets: fileSecrets(folder) })
    expect(await second.call('sync.status', {})).toMatchObject({ queued: 1, org: 'acme' })
    const { rows } = await sql<{ handle: string }>`SELECT handle FROM loom.shape_state WHERE shape = 'memory'`.execute(
      second.loom.database.reader,
    )
    await second.sync()
    expect(await second.call('sync.status', {})).toMatchObject({ queued: 0 })
    expect(await second.heads()).toEqual(await team.heads())
    const { rows: after } = await sql<{ handle: string }>`SELECT handle FROM loom.shape_state WHERE shape = 'memory'`.execute(
      second.loom.database.reader,
    )
    expect(after).toEqual(rows)
    await second.close()
    await rm(folder, { recursive: true, force: true })
  })

  test("a teammate's change appears in the window within a second of the server accepting it", async () => {
    const [watcher, writer] = [await team.desktop(), await team.desktop()]
    watcher.loom.engine.sync?.start()
    writer.loom.engine.sync?.start()
    await until(
      async () => (await watcher.call('sync.status', {})).state === 'idle' && (await writer.call('sync.status', {})).state === 'idle',
    )
    const seen = new Promise<number>((resolve) => {
      watcher.loom.engine.on((event) => {
        if (event.type === 'memory.changed' && event.memory_key === 'live/1') resolve(Date.now())
      })
    })
    const accepted = new Promise<number>((resolve) => {
      team.server.loom.engine.on((event) => {
        if (event.type === 'memory.changed' && event.memory_key === 'live/1') resolve(Date.now())
      })
    })
    await set(writer, 'live/1', 'Seen at once.')
    expect((await seen) - (await accepted)).toBeLessThan(1000)
    await until(async () => (await writer.call('sync.status', {})).queued === 0)
    await watcher.close()
    await writer.close()
  })
})

describe('shapes that start over', () => {
  test('the new snapshot takes the place of the old one, and what was not sent stays on top', async () => {
    const desktop = await team.desktop()
    await set(desktop, 'swap/1', 'One.')
    await set(desktop, 'swap/2', 'Two.')
    await desktop.sync()
    await set(desktop, 'swap/2', 'Two of mine.')
    // Gone from the server behind every log, as after a purge.
    await sql`DELETE FROM loom.memory WHERE org = 'acme' AND memory_key = 'swap/1'`.execute(team.server.loom.database.reader)
    await team.server.loom.database.transaction(rotateAll)
    desktop.wire.mode = 'lose'
    await expect(desktop.sync()).rejects.toThrow()
    desktop.wire.mode = 'open'
    await desktop.sync()
    expect(await desktop.heads()).toEqual(await team.heads())
    expect((await desktop.heads()).has(at('swap/1'))).toBe(false)
    expect((await desktop.heads()).get(at('swap/2'))).toMatchObject({ value: '"Two of mine."' })
    // The server had answered it and lacks it now.
    const { items } = await desktop.call('sync.inbox', { change: 'lost_on_server' })
    expect(items.map((item) => item.memory_key)).toEqual(['swap/1'])
    const decided = await desktop.call('sync.inbox_decide', { all_of: 'lost_on_server', choice: 'mine' })
    expect(decided).toMatchObject({ closed: true, result: { memory_key: 'swap/1', status: 'active' } })
    await desktop.sync()
    expect((await team.heads()).get(at('swap/1'))).toMatchObject({ value: '"One."' })
  })
})

describe('leaving', () => {
  test('disconnecting asks about unsent work; rows stay unless they are to go', async () => {
    const desktop = await team.desktop()
    await desktop.sync()
    await set(desktop, 'leave/1', 'Not sent.')
    await expect(desktop.call('sync.disconnect', {})).rejects.toMatchObject({ code: 'IN_PROGRESS' })
    const left = await desktop.call('sync.disconnect', { discard_queue: true, keep_rows: false })
    expect(left.disconnected).toBe(true)
    expect(left.rows_removed).toBeGreaterThan(0)
    expect((await desktop.heads()).size).toBe(0)
    expect(await desktop.call('sync.disconnect', {})).toEqual({ disconnected: false, rows_removed: 0 })
    expect(await desktop.secrets.read()).toBeNull()
  })

  test('a revoked device keeps its unsent work readable and gets nothing more; a wipe takes the rows', async () => {
    const [kept, wiped] = [await team.desktop(), await team.desktop()]
    for (const desktop of [kept, wiped]) {
      await desktop.sync()
      await set(desktop, 'revoked/1', 'Mine, and not sent.')
      const { device_id } = await desktop.call('sync.status', {})
      await team.server.call(team.admin, 'device.revoke', { device_id, wipe: desktop === wiped })
      await expect(desktop.sync()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' })
    }
    expect(await kept.call('sync.status', {})).toMatchObject({ state: 'revoked', queued: 1 })
    expect(await kept.call('memory.get', { ...PLACE, memory_key: 'revoked/1' })).toMatchObject({ value: 'Mine, and not sent.' })
    expect((await wiped.heads()).size).toBe(0)
    expect(await wiped.call('sync.status', {})).toMatchObject({ state: 'off', queued: 0 })
  })
})
