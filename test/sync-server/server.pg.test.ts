import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newDeviceKey } from '../helpers/device-key.ts'
import { runBuilt, scratchHome } from '../helpers/headless.ts'
import { scratchDatabase, type ScratchDatabase } from '../helpers/postgres.ts'
import { needs, postgres } from '../helpers/requirements.ts'
import { serverEnv, startServer, type ServerProcess } from './server-process.ts'
import { overHttp } from './token-helpers.ts'

describe('the server on Postgres', { ...needs(postgres()), timeout: 120_000 }, () => {
  let scratch: ScratchDatabase
  let home: string
  let drop: () => Promise<void>
  const servers: ServerProcess[] = []
  beforeEach(async () => {
    scratch = await scratchDatabase()
    ;({ home, drop } = await scratchHome())
  })
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.stop('SIGKILL')
    await scratch.drop()
    await drop()
  })
  async function start(settings: Record<string, string> = {}): Promise<ServerProcess> {
    const server = await startServer({ LOOM_SERVER_HOME: home, DATABASE_URL: scratch.url, ...settings })
    servers.push(server)
    return server
  }

  test('three first starts at once mint one token, which every process takes, and a row is everybody’s', async () => {
    const started = await Promise.all([start(), start(), start()])
    await expect.poll(() => started.filter((server) => server.token() !== null)).toHaveLength(1)
    expect(started.filter((server) => server.stdout().includes('loom://pair'))).toHaveLength(1)
    const bearer = `Bearer ${started.find((server) => server.token() !== null)?.token() ?? ''}`
    const claim = { namespace: 'n', agent: 'a', memory_key: 'k', value: 'The vault opens at nine.' }
    expect((await overHttp(started[0].url, 'memory.set', claim, bearer)).body).toMatchObject({ status: 'active' })
    for (const server of started) {
      const got = await overHttp(server.url, 'memory.get', { namespace: 'n', agent: 'a', memory_key: 'k' }, bearer)
      expect(got.body).toMatchObject({ found: true, org: 'team', value: claim.value })
    }
    for (const server of started) expect(await server.stop()).toMatchObject({ code: 0 })
    const again = await start()
    expect(again.token()).toBeNull()
    expect((await overHttp(again.url, 'memory.get', { namespace: 'n', agent: 'a', memory_key: 'k' }, bearer)).body).toMatchObject({
      found: true,
    })
  })

  test('mint-token works beside a running server, which takes the token at once', async () => {
    const server = await start()
    const env = serverEnv({ LOOM_SERVER_HOME: home, DATABASE_URL: scratch.url })
    const minted = await runBuilt('sync-server.js', ['mint-token', '--org', 'acme', '--admin'], env)
    expect(minted.code).toBe(0)
    const info = await overHttp(server.url, 'engine.info', {}, `Bearer ${minted.stdout.trim()}`)
    expect(info.body).toMatchObject({ principal: { org: 'acme' }, storage: { kind: 'postgres', path: '' } })
  })

  test('a token and a device that one process ends are refused by the other at once', async () => {
    const [one, other] = [await start(), await start()]
    await expect.poll(() => one.token()).not.toBeNull()
    const admin = `Bearer ${one.token() ?? ''}`
    const minted = await overHttp(one.url, 'token.mint', { subject: 'b', kind: 'process', grants: { n: 'writer' } }, admin)
    const bearer = `Bearer ${String(minted.body['token'])}`
    expect((await overHttp(other.url, 'memory.list', { namespace: 'n' }, bearer)).status).toBe(200)
    const { token_id } = minted.body['claims'] as { token_id: string }
    expect((await overHttp(one.url, 'token.revoke', { token_id }, admin)).body).toMatchObject({ revoked: true })
    expect((await overHttp(other.url, 'memory.list', { namespace: 'n' }, bearer)).status).toBe(401)
    const link = await runBuilt(
      'sync-server.js',
      ['pair', '--grant', 'n=viewer'],
      serverEnv({ LOOM_SERVER_HOME: home, DATABASE_URL: scratch.url }),
    )
    const code = /code=(\S+)/.exec(link.stdout)?.[1] ?? ''
    const key = newDeviceKey()
    const paired = await overHttp(one.url, 'pair.redeem', { code, device_name: 'd', device_key: key.device_key, proof: key.prove(code) })
    const device = `Bearer ${String(paired.body['token'])}`
    expect((await overHttp(other.url, 'memory.list', { namespace: 'n' }, device)).status).toBe(200)
    await overHttp(other.url, 'device.revoke', { device_id: paired.body['device_id'] }, admin)
    const refused = await overHttp(one.url, 'memory.list', { namespace: 'n' }, device)
    expect(refused).toMatchObject({ status: 401, body: { detail: { device_revoked: true, wipe: false } } })
  })

  test('a wrong DATABASE_URL ends the start with one message that names it, without its password', async () => {
    const url = new URL(scratch.url)
    url.password = 'hunter2'
    url.pathname = '/nothing_here'
    const env = serverEnv({ LOOM_SERVER_HOME: home, DATABASE_URL: url.href })
    const ended = await runBuilt('sync-server.js', [], env)
    expect(ended).toMatchObject({ code: 1, stdout: '' })
    expect(ended.stderr).toMatch(/^The Postgres at .* has no database of the name in DATABASE_URL\. Make it with createdb\.\n$/)
    expect(ended.stderr).not.toContain('hunter2')
  })
})
