import { readdir, readFile, stat } from 'node:fs/promises'
import { request } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runBuilt, scratchHome } from '../helpers/headless.ts'
import { serverEnv, startServer, type ServerProcess } from './server-process.ts'
import { newDeviceKey } from '../helpers/device-key.ts'
import { overHttp } from './token-helpers.ts'

const LINK = /^loom:\/\/pair\?server=(\S+)&code=([0-9A-Z]{4}(?:-[0-9A-Z]{4}){2})$/m

/** Redeems the code of a link at a server. */
function redeem(url: string, link: string) {
  const code = LINK.exec(link)?.[2] ?? ''
  const key = newDeviceKey()
  return overHttp(url, 'pair.redeem', { code, device_name: 'd', device_key: key.device_key, proof: key.prove(code) })
}

let home: string
let drop: () => Promise<void>
const servers: ServerProcess[] = []

async function start(settings: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer({ LOOM_SERVER_HOME: home, ...settings })
  servers.push(server)
  return server
}
const command = (line: string, settings: Record<string, string> = {}) =>
  runBuilt('sync-server.js', line.split(' '), serverEnv({ LOOM_SERVER_HOME: home, ...settings }))

/** Sends a Host or Origin that fetch would not. */
function statusWith(url: string, headers: Record<string, string>): Promise<number> {
  return new Promise((resolve, reject) => {
    request(`${url}/v1/health`, { headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

beforeEach(async () => {
  ;({ home, drop } = await scratchHome())
})
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop('SIGKILL')
  await drop()
})

describe('the server on its embedded default', { timeout: 120_000 }, () => {
  test('[SET022] its first start prints the address and one admin token, with which the documented call works', async () => {
    const server = await start()
    const token = server.token() ?? ''
    await expect.poll(() => server.token()).not.toBeNull()
    const lines = server.stdout().trim().split('\n')
    expect(lines[0]).toBe(`Loom server is running at ${server.url}`)
    expect(server.stdout().match(/loom_[a-z2-7]{16}_/g)).toHaveLength(1)
    const documented = {
      namespace: 'local',
      agent: 'ops-bot',
      memory_key: 'deploy/window/prod',
      value: 'Production deploys run Tuesday and Thursday only; never Friday.',
    }
    expect((await overHttp(server.url, 'memory.set', documented)).status).toBe(401)
    const bearer = `Bearer ${server.token() ?? token}`
    const set = await overHttp(server.url, 'memory.set', documented, bearer)
    expect(set.body).toMatchObject({
      conflict_verdict: 'clear',
      noop: false,
      memory_key: 'deploy/window/prod',
      next: '',
      content_sha256: expect.any(String) as string,
    })
    const info = await overHttp(server.url, 'engine.info', {}, bearer)
    expect(info.body).toMatchObject({
      host: 'server',
      mode: 'multi',
      storage: { kind: 'pglite', durable: true, path: '' },
      principal: { org: 'team', subject: 'admin', kind: 'human', grants: { '*': 'org_admin' }, expires_at: null },
    })

    // The secret is in no log and in no file of the data folder.
    const secret = (server.token() ?? '').slice(22)
    expect(secret).toHaveLength(43)
    expect(server.stderr()).not.toContain(secret)
    expect(await server.stop()).toMatchObject({ code: 0 })
    for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
      if (entry.isFile()) expect((await readFile(join(entry.parentPath, entry.name))).includes(secret)).toBe(false)
    }

    const again = await start()
    expect(again.stdout()).toBe(`Loom server is running at ${again.url}\n`)
    const got = await overHttp(again.url, 'memory.get', { namespace: 'local', agent: 'ops-bot', memory_key: 'deploy/window/prod' }, bearer)
    expect(got.body).toMatchObject({ found: true, org: 'team', value: documented.value })
  })

  test('its first start prints one pairing link too, which pairs a desktop of the admin, and no second start does', async () => {
    const server = await start({ LOOM_PUBLIC_URL: 'https://loom.example:8443' })
    await expect.poll(() => LINK.test(server.stdout())).toBe(true)
    expect(server.stdout().match(/loom:\/\/pair/g)).toHaveLength(1)
    expect(decodeURIComponent(LINK.exec(server.stdout())?.[1] ?? '')).toBe('https://loom.example:8443')
    const code = LINK.exec(server.stdout())?.[2] ?? ''
    const paired = await redeem(server.url, server.stdout())
    expect(paired.body).toMatchObject({ claims: { org: 'team', subject: 'admin', grants: { '*': 'org_admin' }, expires_at: null } })
    const device = `Bearer ${String(paired.body['token'])}`
    expect((await overHttp(server.url, 'device.list', {}, device)).body['devices']).toMatchObject([{ device_id: paired.body['device_id'] }])
    expect((await redeem(server.url, server.stdout())).status).toBe(404)
    expect(server.stderr()).not.toContain(code)
    await server.stop()
    for (const entry of await readdir(home, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) expect((await readFile(join(entry.parentPath, entry.name))).includes(code)).toBe(false)
    const again = await start()
    expect(again.stdout()).toBe(`Loom server is running at ${again.url}\n`)
    // Who the server is does not change.
    const registered = await overHttp(again.url, 'pair.create', { subject: 'bob', grants: { chat: 'viewer' } }, device)
    const link = String(registered.body['link'])
    expect(decodeURIComponent(LINK.exec(link)?.[1] ?? '')).toBe(`http://localhost:${new URL(again.url).port}`)
    expect((await redeem(again.url, link)).body['server_id']).toBe(paired.body['server_id'])
  })

  test('pair: prints a link on the server’s machine, refused while the server holds the folder', async () => {
    const link = await command('pair --subject bob --grant chat=writer --grant ops=viewer', { LOOM_PUBLIC_URL: 'https://loom.example' })
    expect(link).toMatchObject({ code: 0, stdout: expect.stringMatching(LINK) as string })
    expect(link.stdout.trim().split('\n')).toHaveLength(1)
    expect(link.stderr).not.toContain(LINK.exec(link.stdout)?.[2])
    const bare = await command('pair', { LOOM_ORG: 'acme' })
    const server = await start()
    expect((await redeem(server.url, link.stdout)).body).toMatchObject({
      claims: { org: 'team', subject: 'bob', kind: 'human', grants: { chat: 'writer', ops: 'viewer' } },
    })
    expect((await redeem(server.url, bare.stdout)).body).toMatchObject({ claims: { org: 'acme', grants: { '*': 'org_admin' } } })
    expect(await command('pair')).toMatchObject({ code: 1, stdout: '' })
  })

  test('two started at once: one runs and prints one token, the other names its pid', async () => {
    const both = await Promise.allSettled([start(), start()])
    const running = both.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(running).toHaveLength(1)
    await expect.poll(() => running[0]?.token()).not.toBeNull()
    const refusal = String(both.find((one) => one.status === 'rejected')?.reason)
    expect(refusal).toContain(`in use by process ${running[0]?.child.pid}`)
    expect(refusal).toContain('LOOM_SERVER_HOME')
    expect(refusal).not.toContain('loom_')
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s closes it cleanly within 5 s, with a call and an event stream open', async (signal) => {
    const server = await start()
    await expect.poll(() => server.token()).not.toBeNull()
    const bearer = `Bearer ${server.token() ?? ''}`
    const events = await fetch(`${server.url}/v1/events`, { headers: { authorization: bearer } })
    expect(events.status).toBe(200)
    const call = overHttp(
      server.url,
      'memory.set',
      { namespace: 'n', agent: 'a', memory_key: 'k', value: 'The hall is painted blue.' },
      bearer,
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
    const end = await server.stop(signal)
    expect(end.code).toBe(0)
    expect(end.ms).toBeLessThan(5000)
    const answer = await call
    expect(answer.status).toBe(200)
    await expect(stat(join(home, 'loom.lock'))).rejects.toThrow('ENOENT')
  })

  test('mint-token: refused while the server holds the folder, and else prints a token that works', async () => {
    const server = await start({ LOOM_ORG: 'acme' })
    const refused = await command('mint-token --org acme --admin')
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain(`in use by process ${server.child.pid}`)
    await server.stop()

    const admin = await command('mint-token --org other --admin --subject ops --kind process')
    expect(admin).toMatchObject({ code: 0, stdout: expect.stringMatching(/^loom_[a-z2-7]{16}_[A-Za-z0-9_-]{43}\n$/) as string })
    expect(admin.stderr).not.toContain(admin.stdout.trim().slice(22))
    const platform = await command('mint-token --platform')
    const again = await start()
    expect(again.token()).toBeNull()
    const info = await overHttp(again.url, 'engine.info', {}, `Bearer ${admin.stdout.trim()}`)
    expect(info.body['principal']).toMatchObject({ org: 'other', subject: 'ops', kind: 'process', grants: { '*': 'org_admin' } })
    const list = await overHttp(again.url, 'memory.list', { org: 'acme', namespace: 'n' }, `Bearer ${platform.stdout.trim()}`)
    expect(list.body).toMatchObject({ rows: [] })
  })

  test('a folder whose first start is mint-token prints no second first token', async () => {
    expect((await command('mint-token --org acme --admin')).code).toBe(0)
    expect((await start()).token()).toBeNull()
  })

  test('answers to loopback and to LOOM_PUBLIC_URL, and to no other name', async () => {
    const server = await start({ LOOM_PUBLIC_URL: 'https://loom.example:8443' })
    const { port } = new URL(server.url)
    for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, 'loom.example:8443', 'loom.example'])
      expect([host, await statusWith(server.url, { host })]).toEqual([host, 200])
    expect(await statusWith(server.url, { host: 'evil.example' })).toBe(421)
    expect(await statusWith(server.url, { host: 'loom.example', origin: 'https://loom.example:8443' })).toBe(200)
    expect(await statusWith(server.url, { host: `localhost:${port}`, origin: 'https://loom.example:8443' })).toBe(200)
    expect(await statusWith(server.url, { host: 'loom.example', origin: 'https://evil.example' })).toBe(421)
  })

  test('in single mode it asks for no token, prints none, and refuses to be reached from outside', async () => {
    const server = await start({ LOOM_MODE: 'single' })
    expect(server.stdout()).toBe(`Loom server is running at ${server.url}\n`)
    expect((await overHttp(server.url, 'memory.list', {})).status).toBe(200)
    await server.stop()
    const refused = await command('serve', { LOOM_MODE: 'single', LOOM_HOST: '0.0.0.0' })
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('LOOM_HOST')
  })

  test('a start that cannot be says why in one message, and keeps nothing', async () => {
    const taken = createServer()
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
    const { port } = taken.address() as { port: number }
    const busy = await command('serve', { LOOM_SERVER_PORT: String(port) })
    expect(busy).toMatchObject({ code: 1, stdout: '' })
    expect(busy.stderr).toContain(`Port ${port} is in use`)
    expect(busy.stderr).toContain('LOOM_SERVER_PORT')
    await new Promise((resolve) => taken.close(resolve))
    await expect(stat(join(home, 'loom.lock'))).rejects.toThrow('ENOENT')
    const wrong = await command('serve', { LOOM_ORG: 'dev' })
    expect(wrong).toMatchObject({ code: 1, stdout: '' })
    expect(wrong.stderr).toContain('LOOM_ORG')
    expect(await command('sevre')).toMatchObject({ code: 2, stdout: '' })
    expect((await command('help')).stdout).toContain('mint-token')
  })
})
