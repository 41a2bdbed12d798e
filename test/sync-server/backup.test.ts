import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Ended, post, runBuilt, scratchHome } from '../helpers/headless.ts'
import { serverEnv, startServer, type ServerProcess } from './server-process.ts'

let home: string
let drop: () => Promise<void>
let server: ServerProcess | null = null

beforeEach(async () => {
  ;({ home, drop } = await scratchHome())
})
afterEach(async () => {
  await server?.stop('SIGKILL')
  await drop()
})

const start = async () => (server = await startServer({ LOOM_SERVER_HOME: home, LOOM_ORG: 'acme' }))
const command = (line: string): Promise<Ended> =>
  runBuilt('sync-server.js', line.split(' '), serverEnv({ LOOM_SERVER_HOME: home, LOOM_ORG: 'acme' }))

test('a server restored from last week’s backup has what it had then, and every follower starts over', { timeout: 240_000 }, async () => {
  const first = await start()
  for (let tries = 0; first.token() === null && tries < 100; tries++) await sleep(50)
  const headers = { authorization: `Bearer ${first.token() ?? ''}` }
  const set = async (at: ServerProcess, memory_key: string) =>
    expect(
      (await post(at.url, 'memory.set', { namespace: 'chat', agent: 'a', memory_key, value: `The lamp ${memory_key} is brass.` }, headers))
        .status,
    ).toBe(200)
  const shape = (at: ServerProcess, query: string) => fetch(`${at.url}/v1/shape?table=memory&${query}`, { headers })
  await set(first, 'before')

  // While it runs, its folder is its own.
  const busy = await command('backup')
  expect([busy.code, busy.stderr]).toEqual([1, expect.stringContaining('in use') as string])
  await first.stop()
  const made = await command('backup --label weekly')
  expect([made.code, made.stdout], made.stderr).toEqual([
    0,
    expect.stringMatching(/^bk_\S+ {2}\S+ {2}manual {2}\d+ bytes {2}weekly\n$/) as string,
  ])
  const id = made.stdout.split(' ')[0] ?? ''

  const second = await start()
  await set(second, 'after')
  const followed = await shape(second, 'offset=-1')
  const handle = followed.headers.get('electric-handle') ?? ''
  const offset = followed.headers.get('electric-offset') ?? ''
  expect(await followed.text()).toContain('"after"')
  await second.stop()

  expect(await command(`backup restore bk_none --confirm bk_none`)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no backup') as string,
  })
  const restored = await command(`backup restore ${id} --confirm ${id}`)
  expect([restored.code, restored.stdout]).toEqual([0, expect.stringContaining('1 memories') as string])
  expect((await command('backup list')).stdout.trim().split('\n')).toHaveLength(2)

  const third = await start()
  const again = await shape(third, `offset=${offset}&handle=${handle}`)
  expect(again.status).toBe(409)
  expect(again.headers.get('electric-handle')).not.toBe(handle)
  const anew = await (await shape(third, 'offset=-1')).text()
  expect(anew).toContain('"before"')
  expect(anew).not.toContain('"after"')
})
