import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { cleanEnv, post, runBuilt, scratchHome, startHeadless, type Headless } from '../helpers/headless.ts'

const TOKEN = /loom_[a-z2-7]{16}_[A-Za-z0-9_-]{43}/

let home: string
let drop: () => Promise<void>
const running: Headless[] = []
const env = (settings: Record<string, string> = {}) => cleanEnv({ LOOM_HOME: home, LOOM_MODE: 'multi', ...settings })
async function start(settings: Record<string, string> = {}): Promise<Headless> {
  const host = await startHeadless(env(settings))
  running.push(host)
  return host
}
const loom = (line: string, settings: Record<string, string> = {}) => runBuilt('cli.js', line.split(' '), env(settings))

beforeEach(async () => {
  ;({ home, drop } = await scratchHome())
})
afterEach(async () => {
  for (const host of running.splice(0)) await host.stop('SIGKILL')
  await drop()
})

describe('a desktop in multi mode', { timeout: 120_000 }, () => {
  test('[SET022] prints one token of org dev at its first start, once, and answers nobody without', async () => {
    const host = await start()
    await expect.poll(() => TOKEN.test(host.stdout())).toBe(true)
    expect(host.stdout().split('\n')[0]).toBe(`Loom is running at ${host.url}`)
    const token = TOKEN.exec(host.stdout())?.[0] ?? ''
    const bearer = { authorization: `Bearer ${token}` }
    const documented = {
      org: 'dev',
      namespace: 'local',
      agent: 'ops-bot',
      memory_key: 'deploy/window/prod',
      value: 'Production deploys run Tuesday and Thursday only; never Friday.',
    }
    expect((await post(host.url, 'memory.set', documented)).status).toBe(401)
    const set = await post(host.url, 'memory.set', documented, bearer)
    expect(set.body).toMatchObject({ conflict_verdict: 'clear', noop: false, memory_key: 'deploy/window/prod', next: '' })
    const info = await post(host.url, 'engine.info', {}, bearer)
    expect(info.body).toMatchObject({
      host: 'desktop',
      mode: 'multi',
      principal: { org: 'dev', grants: { '*': 'platform_admin' }, expires_at: null },
    })

    // Another for an agent, by the command line with the token of the person.
    const minted = await loom('mint-token --subject bot --kind process --grants {"local":"writer"} --json', { LOOM_API_KEY: token })
    expect(minted.code, minted.stderr).toBe(0)
    const { token: second, claims } = JSON.parse(minted.stdout) as { token: string; claims: { org: string } }
    expect(claims.org).toBe('dev')
    expect((await post(host.url, 'memory.list', { namespace: 'local' }, { authorization: `Bearer ${second}` })).status).toBe(200)
    const foreign = await post(host.url, 'token.mint', { org: 'acme', subject: 'x', kind: 'human', grants: { local: 'viewer' } }, bearer)
    expect(foreign).toMatchObject({ status: 422, body: { detail: { code: 'INVALID_ARGUMENT', field: 'org' } } })

    expect(host.stderr()).not.toContain(token.slice(22))
    expect(await host.stop()).toMatchObject({ code: 0 })
    for (const entry of await readdir(home, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) expect((await readFile(join(entry.parentPath, entry.name))).includes(token.slice(22))).toBe(false)

    const again = await start()
    expect(
      (await post(again.url, 'memory.get', { namespace: 'local', agent: 'ops-bot', memory_key: 'deploy/window/prod' }, bearer)).body,
    ).toMatchObject({
      found: true,
      value: documented.value,
    })
    expect(again.stdout()).toBe(`Loom is running at ${again.url}\n`)
  })

  test('a command without a host asks for the token too, and mints none that nobody would see', async () => {
    const refused = await loom('memory.list --json')
    expect(refused).toMatchObject({ code: 1 })
    expect(refused.stdout + refused.stderr).toContain('UNAUTHENTICATED')
    expect(refused.stdout + refused.stderr).not.toMatch(TOKEN)
    const host = await start()
    await expect.poll(() => TOKEN.test(host.stdout())).toBe(true)
  })
})
