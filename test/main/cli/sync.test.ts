import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cleanEnv, runBuilt, scratchHome, startHeadless, type Headless } from '../../helpers/headless.ts'
import { startServer, type ServerProcess } from '../../sync-server/server-process.ts'
import { busyFront } from '../../sync/busy-front.ts'
import { overHttp } from '../../sync-server/token-helpers.ts'

const LINK = /loom:\/\/pair\?server=\S+&code=[0-9A-Z-]+/

let server: ServerProcess
let host: Headless | null = null
let home: string
const drops: (() => Promise<void>)[] = []

beforeEach(async () => {
  const [desk, far] = [await scratchHome(), await scratchHome()]
  drops.push(desk.drop, far.drop)
  home = desk.home
  server = await startServer({ LOOM_SERVER_HOME: far.home })
}, 120_000)
afterEach(async () => {
  await host?.stop('SIGKILL')
  host = null
  await server.stop('SIGKILL')
  for (const drop of drops.splice(0)) await drop()
})

const loom = async (...args: string[]) => {
  const ended = await runBuilt('cli.js', args, cleanEnv({ LOOM_HOME: home }))
  return { ...ended, answer: () => JSON.parse(ended.stdout.trim().split('\n').at(-1) ?? '') as Record<string, unknown> }
}

/** The link of the server's first start, at the port that it took. */
async function link(): Promise<string> {
  await expect.poll(() => LINK.exec(server.stdout())?.[0], { timeout: 60_000 }).toBeDefined()
  const found = LINK.exec(server.stdout())?.[0] ?? ''
  return found.replace(/server=[^&]+/, `server=${encodeURIComponent(server.url)}`)
}

describe('a headless machine', { timeout: 180_000 }, () => {
  test('pairs, writes while nothing runs, and one `loom sync --once` brings it to the server', async () => {
    expect((await loom('sync', 'nonsense')).code).toBe(2)
    expect(await loom('sync', '--once')).toMatchObject({ code: 1, stderr: expect.stringContaining('not connected') as string })
    const made = await loom('sync', 'connect', '--link', await link(), '--use-namespace', 'chat', '--json')
    expect(made.answer()).toMatchObject({ org: 'team', subject: 'admin' })
    expect((await stat(join(home, 'sync-secrets.json'))).mode & 0o777).toBe(0o600)
    expect((await loom('memory.set', '--agent', 'a', '--memory-key', 'week/1', '--value', 'Written offline.')).code).toBe(0)
    expect((await loom('sync', 'status', '--json')).answer()).toMatchObject({ queued: 1, org: 'team' })
    const synced = await loom('sync', '--once', '--json')
    expect(synced.answer()).toMatchObject({ queued: 0, error: null })
    const input = { namespace: 'chat', agent: 'a', memory_key: 'week/1' }
    expect((await overHttp(server.url, 'memory.get', input, `Bearer ${server.token()}`)).body).toMatchObject({ value: 'Written offline.' })
  })

  test('`--once` ends with 1 where the server takes nothing, and says what is left, beside the app as without', async () => {
    await using busy = await busyFront(server.url)
    const through = (await link()).replace(/server=[^&]+/, `server=${encodeURIComponent(busy.url)}`)
    await loom('sync', 'connect', '--link', through, '--use-namespace', 'chat')
    for (const n of [1, 2]) await loom('memory.set', '--agent', 'a', '--memory-key', `busy/${n}`, '--value', `Held ${n}.`)
    expect((await loom('sync', '--once', '--timeout', '0')).code).toBe(2)
    const began = Date.now()
    const ended = await loom('sync', '--once', '--timeout', '2', '--json')
    expect(Date.now() - began).toBeLessThan(30_000)
    expect(ended.code).toBe(1)
    expect(ended.answer()).toMatchObject({
      detail: {
        code: 'UNAVAILABLE',
        queued: 2,
        message: expect.stringMatching(/for 2 s, and 2 wait still\..*The store is busy\./) as string,
      },
    })
    expect(busy.pushes).toBeGreaterThan(0)
    expect((await loom('sync', 'status', '--json')).answer()).toMatchObject({ queued: 2, quarantined: 0 })
    host = await startHeadless(cleanEnv({ LOOM_HOME: home }))
    const beside = await loom('sync', '--once', '--timeout', '2')
    expect(beside).toMatchObject({ code: 1, stderr: expect.stringContaining('2 wait still') as string })
  })

  test('the app that runs syncs by itself, and `--once` waits for it', async () => {
    await loom('sync', 'connect', '--link', await link(), '--use-namespace', 'chat')
    host = await startHeadless(cleanEnv({ LOOM_HOME: home }))
    expect((await loom('memory.set', '--agent', 'a', '--memory-key', 'app/1', '--value', 'Written beside the app.')).code).toBe(0)
    expect((await loom('sync', '--once', '--json')).answer()).toMatchObject({ state: 'idle', queued: 0 })
    const input = { namespace: 'chat', agent: 'a', memory_key: 'app/1' }
    expect((await overHttp(server.url, 'memory.get', input, `Bearer ${server.token()}`)).body).toMatchObject({ found: true })
  })
})
