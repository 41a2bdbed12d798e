import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cleanEnv, post, scratchHome, startHeadless, type Headless } from '../helpers/headless.ts'
import { startServer, type ServerProcess } from '../sync-server/server-process.ts'
import { overHttp } from '../sync-server/token-helpers.ts'
import { until } from './team.ts'

const ROUNDS = Number(process.env['LOOM_TEST_RUNS'] ?? 4)
const LINK = /loom:\/\/pair\?server=\S+&code=([0-9A-Z-]+)/

let server: ServerProcess
let desktop: Headless
let token: string
const homes = { desktop: '', server: '' }
const drops: (() => Promise<void>)[] = []

const startDesktop = async (): Promise<void> => {
  desktop = await startHeadless(cleanEnv({ LOOM_HOME: homes.desktop }))
}
const startAgain = async (port: string): Promise<void> => {
  server = await startServer({ LOOM_SERVER_HOME: homes.server, LOOM_SERVER_PORT: port })
}

beforeEach(async () => {
  for (const name of ['desktop', 'server'] as const) {
    const { home, drop } = await scratchHome()
    homes[name] = home
    drops.push(drop)
  }
  await startAgain('0')
  await startDesktop()
}, 180_000)
afterEach(async () => {
  await desktop.stop('SIGKILL')
  await server.stop('SIGKILL')
  for (const drop of drops.splice(0)) await drop()
})

/** Writes until the desktop is gone, and notes the keys that were acknowledged. */
async function writeOn(round: number, acknowledged: string[]): Promise<void> {
  for (let n = 0; ; n++) {
    const memory_key = `kill/${round}/${n}`
    const input = { org: 'team', namespace: 'chat', agent: 'a', memory_key, value: `Fact ${n} of round ${round}.` }
    const answer = await post(desktop.url, 'memory.set', input).catch(() => null)
    if (answer === null) return
    expect(answer.status).toBe(200)
    acknowledged.push(memory_key)
  }
}

test(
  `desktop and server are killed at any moment, ${ROUNDS} rounds: every acknowledged write reaches the server, once`,
  { timeout: 900_000 },
  async () => {
    await expect.poll(() => LINK.exec(server.stdout())?.[1], { timeout: 60_000 }).toBeDefined()
    token = server.token() ?? ''
    const { port } = new URL(server.url)
    const code = LINK.exec(server.stdout())?.[1]
    const paired = await post(desktop.url, 'sync.connect', { server_url: `http://127.0.0.1:${port}`, code })
    expect(paired.body).toMatchObject({ org: 'team' })
    const acknowledged: string[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const before = acknowledged.length
      const writing = writeOn(round, acknowledged)
      await until(() => acknowledged.length > before, 120_000)
      await sleep(Math.random() * 2000)
      // The server goes in every second round, while it is pushed to; the desktop goes in every one.
      if (round % 2 === 1) {
        await server.stop('SIGKILL')
        await sleep(Math.random() * 500)
      }
      await desktop.stop('SIGKILL')
      await writing
      if (round % 2 === 1) await startAgain(port)
      await startDesktop()
    }
    expect(acknowledged.length).toBeGreaterThanOrEqual(ROUNDS)
    const status = async () => (await post(desktop.url, 'sync.status', {})).body
    await expect.poll(status, { timeout: 300_000, interval: 500 }).toMatchObject({ queued: 0, quarantined: 0, inbox: 0, error: null })
    for (const memory_key of acknowledged) {
      const input = { namespace: 'chat', agent: 'a', memory_key, limit: 10 }
      const { body } = await overHttp(server.url, 'memory.history', input, `Bearer ${token}`)
      expect([memory_key, (body['rows'] as unknown[]).length]).toEqual([memory_key, 1])
    }
  },
)
