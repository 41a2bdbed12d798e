import { readFile, stat, writeFile, mkdir } from 'node:fs/promises'
import { createServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cleanEnv, type Headless, post, runBuilt, scratchHome, startHeadless } from '../helpers/headless.ts'

let home: string
let drop: () => Promise<void>
const hosts: Headless[] = []
const env = (settings: Record<string, string> = {}) => cleanEnv({ LOOM_HOME: home, ...settings })
const endpointFile = () => join(home, 'endpoint.json')

async function start(settings: Record<string, string> = {}): Promise<Headless> {
  const host = await startHeadless(env(settings))
  hosts.push(host)
  return host
}

beforeEach(async () => {
  ;({ home, drop } = await scratchHome())
})
afterEach(async () => {
  for (const host of hosts.splice(0)) await host.stop('SIGKILL')
  await drop()
})

describe('the host without a window', () => {
  test('prints one line with its address, writes endpoint.json for its owner only, and answers', async () => {
    const host = await start()
    expect(host.stdout()).toBe(`Loom is running at ${host.url}\n`)
    expect(host.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    const endpoint = JSON.parse(await readFile(endpointFile(), 'utf8')) as Record<string, unknown>
    expect(endpoint).toEqual({ url: host.url, pid: host.child.pid, started_at: expect.any(String) as string, version: '0.1.0' })
    expect(new Date(String(endpoint['started_at'])).getTime()).toBeGreaterThan(Date.now() - 60_000)
    expect((await stat(endpointFile())).mode & 0o777).toBe(0o600)
    expect((await stat(home)).mode & 0o777).toBe(0o700)
    expect((await fetch(`${host.url}/v1/health`)).status).toBe(200)
  })

  test('[API012] listens on loopback alone', async () => {
    const host = await start()
    const { port } = new URL(host.url)
    const others = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter((one) => !one.internal && one.family === 'IPv4')
    for (const { address } of others) await expect(fetch(`http://${address}:${port}/v1/health`)).rejects.toThrow()
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s closes it cleanly within 5 s, and what was written is there again', async (signal) => {
    const host = await start()
    const { status } = await post(host.url, 'memory.set', { memory_key: 'kept', value: 'The kettle is blue.' })
    expect(status).toBe(200)
    const end = await host.stop(signal)
    expect(end).toMatchObject({ code: 0, signal: null })
    expect(end.ms).toBeLessThan(5000)
    await expect(stat(endpointFile())).rejects.toThrow('ENOENT')
    await expect(stat(join(home, 'loom.lock'))).rejects.toThrow('ENOENT')
    const again = await start()
    expect((await post(again.url, 'memory.get', { memory_key: 'kept' })).body).toMatchObject({ found: true, value: 'The kettle is blue.' })
  })

  test('a second start says where the first one answers, and touches nothing', async () => {
    const first = await start()
    const second = await runBuilt('headless.js', [], env())
    expect(second).toMatchObject({ code: 0, stdout: `Loom is already running at ${first.url} (process ${first.child.pid})\n` })
    expect((await fetch(`${first.url}/v1/health`)).status).toBe(200)
    expect(JSON.parse(await readFile(endpointFile(), 'utf8'))).toMatchObject({ pid: first.child.pid })
  })

  test('two started at once: one runs, the other finds it', async () => {
    const both = await Promise.allSettled([start(), start()])
    const running = both.filter((one) => one.status === 'fulfilled')
    const other = both.find((one) => one.status === 'rejected')
    expect(running).toHaveLength(1)
    expect(String((other as PromiseRejectedResult).reason)).toContain('Loom is already running at')
  })

  test('an endpoint that a killed host left does not mislead the next', async () => {
    const first = await start()
    await first.stop('SIGKILL')
    expect(JSON.parse(await readFile(endpointFile(), 'utf8'))).toMatchObject({ url: first.url })
    const second = await start()
    expect(JSON.parse(await readFile(endpointFile(), 'utf8'))).toMatchObject({ url: second.url, pid: second.child.pid })
  })

  test('what a killed first start left of a database is removed', async () => {
    await mkdir(join(home, 'db.new-1'), { recursive: true })
    await writeFile(join(home, 'db.new-1', 'PG_VERSION'), '18')
    const host = await start()
    expect((await post(host.url, 'memory.set', { memory_key: 'k', value: 'v' })).status).toBe(200)
    await expect(stat(join(home, 'db.new-1'))).rejects.toThrow('ENOENT')
  })

  test('calls during the start are answered 503 UNAVAILABLE, health says starting', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const seen = new Set<string>()
    const starting = start({ LOOM_PORT: String(port) })
    let done = false
    const watching = (async () => {
      while (!done) {
        const answer = await post(url, 'memory.list', {}).catch(() => null)
        if (answer?.status === 503) {
          seen.add(String((answer.body['detail'] as Record<string, unknown>)['code']))
          const health = (await (await fetch(`${url}/v1/health`)).json()) as Record<string, unknown>
          seen.add(String(health['status']))
        }
        await new Promise((resolve) => setTimeout(resolve, 5))
      }
    })()
    await starting
    done = true
    await watching
    expect([...seen]).toEqual(expect.arrayContaining(['UNAVAILABLE', 'starting']))
    expect((await post(url, 'memory.list', {})).status).toBe(200)
  })

  test('a port that is taken stops the start with a message that names the setting', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const address = other.address() as { port: number }
    const end = await runBuilt('headless.js', [], env({ LOOM_PORT: String(address.port) }))
    other.close()
    expect(end.code).toBe(1)
    expect(end.stdout).toBe('')
    expect(end.stderr).toContain(`Port ${address.port} is in use`)
    expect(end.stderr).toContain('LOOM_PORT')
    await expect(stat(join(home, 'loom.lock'))).rejects.toThrow('ENOENT')
  })

  test('a setting of a wrong type stops the start with a message that names it', async () => {
    const end = await runBuilt('headless.js', [], env({ LOOM_PORT: 'seven' }))
    expect(end).toMatchObject({ code: 1, stdout: '' })
    expect(end.stderr).toContain('LOOM_PORT: "seven"')
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
