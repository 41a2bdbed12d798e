import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnv, post, scratchHome, startHeadless, type Headless } from '../helpers/headless.ts'
import { cutLine, type CutLine } from '../helpers/cut-line.ts'
import { startServer, type ServerProcess } from '../sync-server/server-process.ts'
import { until } from './team.ts'

const PLACE = { org: 'team', namespace: 'chat', agent: 'a' } as const
const NIGHT = { short: 'The harbour bridge opens at seven.', long: 'Marta keeps the keys of the archive.' } as const
const MORNING = { short: 'Backups of payroll run on Sundays.', long: 'The espresso machine takes filter 12.' } as const
/** Shorter than any limit of a request, so that nothing but the waking itself tells; and longer than all of them. */
const NAPS = { short: 12_000, long: 48_000 } as const
type Name = keyof typeof NAPS
const NAMES = ['short', 'long'] as const
/** What somebody who opens the lid waits at most, on a busy machine. */
const SOON_MS = 15_000

let server: ServerProcess
const lines = {} as Record<Name, CutLine>
const hosts = {} as Record<Name, Headless>
const drops: (() => Promise<void>)[] = []

beforeAll(async () => {
  const far = await scratchHome()
  drops.push(far.drop)
  server = await startServer({ LOOM_SERVER_HOME: far.home })
  for (const name of NAMES) {
    const own = await scratchHome()
    drops.push(own.drop)
    lines[name] = await cutLine(server.url)
    hosts[name] = await startHeadless(cleanEnv({ LOOM_HOME: own.home }))
  }
}, 120_000)
afterAll(async () => {
  for (const name of NAMES) {
    hosts[name].child.kill('SIGCONT')
    await hosts[name].stop('SIGKILL')
    await lines[name].cut()
  }
  await server.stop('SIGKILL')
  for (const drop of drops) await drop()
})

const headers = (): Record<string, string> => ({ authorization: `Bearer ${server.token()}` })
const has = async (name: Name, memory_key: string): Promise<boolean> =>
  (await post(hosts[name].url, 'memory.get', { ...PLACE, memory_key })).body['found'] === true
const write = async (memory_key: string, value: string): Promise<void> => {
  expect((await post(server.url, 'memory.set', { ...PLACE, memory_key, value }, headers())).body).toMatchObject({
    memory_key,
    status: 'active',
  })
}

test('a desktop that slept while its lines died has all there is within seconds of waking', { timeout: 240_000 }, async () => {
  for (const name of NAMES) {
    const { body } = await post(server.url, 'pair.create', { org: 'team', subject: name, grants: { '*': 'writer' } }, headers())
    const paired = await post(hosts[name].url, 'sync.connect', { server_url: lines[name].url, code: body['code'] })
    expect(paired.status).toBe(200)
  }
  await write('lamp/evening', 'The lamp on the landing is brass.')
  for (const name of NAMES) await until(() => has(name, 'lamp/evening'), 60_000)

  const took = await Promise.all(
    NAMES.map(async (name) => {
      hosts[name].child.kill('SIGSTOP')
      lines[name].drop()
      await sleep(500)
      await write(`lamp/night ${name}`, NIGHT[name])
      await sleep(NAPS[name])
      hosts[name].child.kill('SIGCONT')
      const woke = performance.now()
      await until(() => has(name, `lamp/night ${name}`), 60_000)
      // And what is written now goes the other way.
      await post(hosts[name].url, 'memory.set', { ...PLACE, memory_key: `lamp/morning ${name}`, value: MORNING[name] })
      const arrived = async (): Promise<boolean> =>
        (await post(server.url, 'memory.get', { ...PLACE, memory_key: `lamp/morning ${name}` }, headers())).body['found'] === true
      await until(arrived, 60_000)
      return performance.now() - woke
    }),
  )
  process.stderr.write(`woke: ${took.map((ms) => ms.toFixed(0)).join(', ')} ms\n`)
  for (const ms of took) expect(ms).toBeLessThan(SOON_MS)
})
