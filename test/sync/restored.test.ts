import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { cleanEnv, post, runBuilt, scratchHome, startHeadless, type Headless } from '../helpers/headless.ts'
import { serverEnv, startServer, type ServerProcess } from '../sync-server/server-process.ts'

const PLACE = { org: 'team', namespace: 'chat', agent: 'a' } as const
const NAMES = ['ann', 'bob'] as const
type Name = (typeof NAMES)[number]

const homes = new Map<string, Awaited<ReturnType<typeof scratchHome>>>()
const desktops = new Map<Name, Headless>()
let server: ServerProcess
let port = '0'
let token = ''

const home = (name: string): string => homes.get(name)?.home ?? ''
const settings = () => ({ LOOM_SERVER_HOME: home('server'), LOOM_SERVER_PORT: port })
const command = (line: string) => runBuilt('sync-server.js', line.split(' '), serverEnv(settings()))
const call = async (name: Name, op: string, input: object) => (await post(desktops.get(name)?.url ?? '', op, input)).body
const onServer = async (op: string, input: object) => (await post(server.url, op, input, { authorization: `Bearer ${token}` })).body
const set = (name: Name, memory_key: string, value: string) => call(name, 'memory.set', { ...PLACE, memory_key, value })
const found = async (name: Name, memory_key: string) => (await call(name, 'memory.get', { ...PLACE, memory_key }))['value']
const settled = (name: Name) =>
  expect.poll(() => call(name, 'sync.status', {}), { timeout: 60_000, interval: 200 }).toMatchObject({ queued: 0, state: 'idle' })

beforeAll(async () => {
  for (const name of ['server', ...NAMES]) homes.set(name, await scratchHome())
  server = await startServer(settings())
  ;({ port } = new URL(server.url))
  await vi.waitFor(() => expect(server.token()).not.toBeNull(), { timeout: 30_000 })
  token = server.token() ?? ''
  for (const name of NAMES) {
    desktops.set(name, await startHeadless(cleanEnv({ LOOM_HOME: home(name) })))
    const { code } = await onServer('pair.create', { org: 'team', subject: name, grants: { '*': 'writer' } })
    expect(await call(name, 'sync.connect', { server_url: `http://127.0.0.1:${port}`, code })).toMatchObject({ org: 'team' })
  }
}, 180_000)
afterAll(async () => {
  for (const host of desktops.values()) await host.stop('SIGKILL')
  await server.stop('SIGKILL')
  for (const { drop } of homes.values()) await drop()
})

test(
  'a server put back to last week’s backup: devices start over, and nothing that one of them still holds is lost',
  { timeout: 240_000 },
  async () => {
    await set('ann', 'old', 'The oak door is green.')
    await set('ann', 'changed', 'The well is nine metres deep.')
    for (const name of NAMES) await settled(name)
    await server.stop()
    const [id = ''] = (await command('backup --label weekly')).stdout.split(' ')
    server = await startServer(settings())
    for (const name of NAMES) await settled(name)
    // A week of work: new, changed, and by both.
    await set('ann', 'week/ann', 'Ann planted eleven birches.')
    await set('bob', 'week/bob', 'Bob sold the grey van.')
    await set('ann', 'changed', 'The well is twelve metres deep.')
    for (const name of NAMES) await settled(name)
    await expect.poll(() => found('bob', 'changed'), { timeout: 20_000 }).toBe('The well is twelve metres deep.')
    await expect.poll(() => found('ann', 'week/bob'), { timeout: 20_000 }).toBe('Bob sold the grey van.')

    await server.stop()
    // Written while the server was away: it waits, and goes to the restored one.
    await set('bob', 'waiting', 'The barn key hangs in the hall.')
    expect((await command(`backup restore ${id} --confirm ${id}`)).code).toBe(0)
    server = await startServer(settings())
    await expect
      .poll(() => onServer('memory.get', { ...PLACE, memory_key: 'waiting' }), { timeout: 90_000, interval: 500 })
      .toMatchObject({ found: true })
    for (const name of NAMES) await settled(name)
    const lost = async (name: Name) =>
      (
        (await call(name, 'sync.inbox', { change: 'lost_on_server' }))['items'] as { memory_key: string; mine: { value: unknown } }[]
      ).toSorted((a, b) => a.memory_key.localeCompare(b.memory_key))
    await expect
      .poll(async () => (await lost('ann')).map((item) => item.memory_key), { timeout: 60_000 })
      .toEqual(['changed', 'week/ann', 'week/bob'])
    expect((await lost('ann')).map((item) => item.mine.value)).toEqual([
      'The well is twelve metres deep.',
      'Ann planted eleven birches.',
      'Bob sold the grey van.',
    ])
    // Nothing was pushed again unasked.
    expect(await onServer('memory.get', { ...PLACE, memory_key: 'week/ann' })).toMatchObject({ found: false })
    expect(await call('ann', 'sync.inbox_decide', { all_of: 'lost_on_server', choice: 'mine' })).toMatchObject({ closed: true })
    for (const [key, value] of [
      ['old', 'The oak door is green.'],
      ['changed', 'The well is twelve metres deep.'],
      ['week/ann', 'Ann planted eleven birches.'],
      ['week/bob', 'Bob sold the grey van.'],
      ['waiting', 'The barn key hangs in the hall.'],
    ] as const) {
      await expect
        .poll(() => onServer('memory.get', { ...PLACE, memory_key: key }), { timeout: 30_000 })
        .toMatchObject({ found: true, value })
      await expect.poll(() => found('bob', key), { timeout: 30_000 }).toBe(value)
    }
  },
)
