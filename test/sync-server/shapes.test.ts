import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isChangeMessage, isControlMessage } from '@electric-sql/client'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { cutLine } from '../helpers/cut-line.ts'
import { follow, until } from '../engine/shapes/shape-server.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { overHttp } from './token-helpers.ts'

let folder: string
const running: ServerProcess[] = []
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'loom-test-'))))
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop('SIGKILL')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function start(name: string): Promise<ServerProcess> {
  const server = await startServer({ LOOM_SERVER_HOME: join(folder, name) })
  running.push(server)
  return server
}
async function set(url: string, token: string, key: string, value: string): Promise<void> {
  const answer = await overHttp(url, 'memory.set', { namespace: 'chat', agent: 'a', memory_key: key, value }, `Bearer ${token}`)
  expect(answer.status).toBe(200)
}
const keysOf = ({ shape }: ReturnType<typeof follow>): string[] => shape.currentRows.map((row) => row['memory_key'] as string).sort()

test('a follower goes on over a restart and a SIGKILL of the server, and hears nothing twice', async () => {
  const first = await start('restart')
  // Printed after the address.
  await until(() => first.token() !== null, 20_000)
  const token = first.token() ?? ''
  // Its address stays, whatever port a server gets: the one that it had may be another's by then.
  await using line = await cutLine(first.url)
  const following = follow(`${line.url}/v1/shape`, token, 'memory', {
    backoffOptions: { initialDelay: 50, maxDelay: 200, multiplier: 1.5 },
  })
  await set(first.url, token, 'one', 'One of them.')
  await until(() => following.shape.currentRows.length === 1)
  const ended = await first.stop()
  expect(ended.code).toBe(0)
  expect(ended.ms).toBeLessThan(5000)
  const second = await start('restart')
  line.aim(second.url)
  await set(second.url, token, 'two', 'Two of them.')
  await until(() => following.shape.currentRows.length === 2, 15_000)
  await second.stop('SIGKILL')
  const third = await start('restart')
  line.aim(third.url)
  await set(third.url, token, 'three', 'Three of them.')
  await until(() => following.shape.currentRows.length === 3, 15_000)
  const told = following.messages.filter(isChangeMessage).map((message) => message.key)
  expect(new Set(told).size).toBe(told.length)
  expect(following.messages.some((message) => isControlMessage(message) && message.headers.control === 'must-refetch')).toBe(false)
  following.stop()
}, 90_000)

test('a database put back to an earlier day ends every handle, and followers have what is there', async () => {
  const home = join(folder, 'restored')
  const first = await start('restored')
  // Printed after the address.
  await until(() => first.token() !== null, 20_000)
  const token = first.token() ?? ''
  await set(first.url, token, 'before', 'From before the backup.')
  await first.stop()
  await cp(join(home, 'db'), join(folder, 'backup'), { recursive: true })

  const second = await start('restored')
  await using line = await cutLine(second.url)
  const following = follow(`${line.url}/v1/shape`, token, 'memory', {
    backoffOptions: { initialDelay: 50, maxDelay: 200, multiplier: 1.5 },
  })
  for (const key of ['lost/1', 'lost/2']) await set(second.url, token, key, `After the backup: ${key}.`)
  await until(() => following.shape.currentRows.length === 3)
  const handle = following.stream.shapeHandle
  await second.stop()
  await rm(join(home, 'db'), { recursive: true })
  await cp(join(folder, 'backup'), join(home, 'db'), { recursive: true })

  const third = await start('restored')
  line.aim(third.url)
  await until(() => following.stream.shapeHandle !== handle && keysOf(following).join() === 'before', 15_000)
  expect(third.stderr()).toContain('it was restored')
  await set(third.url, token, 'new', 'Written after the restore.')
  await until(() => keysOf(following).join() === 'before,new')
  following.stop()
}, 90_000)
