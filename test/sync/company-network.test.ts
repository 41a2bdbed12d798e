import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { cleanEnv, post, scratchHome, startHeadless, type Headless } from '../helpers/headless.ts'
import { startServer, type ServerProcess } from '../sync-server/server-process.ts'
import { TEAM_AUTHORITY, TEAM_HOST, tlsFront, type TlsFront } from './tls-front.ts'
import { until } from './team.ts'

const PLACE = { org: 'team', namespace: 'chat', agent: 'a' } as const

let server: ServerProcess
let front: TlsFront
let authority: string
const homes: { home: string; drop: () => Promise<void> }[] = []
const hosts: Headless[] = []

beforeAll(async () => {
  homes.push(await scratchHome())
  server = await startServer({ LOOM_SERVER_HOME: homes[0]?.home ?? '', LOOM_PUBLIC_URL: `https://${TEAM_HOST}` })
  front = await tlsFront(server.url)
  authority = join(dirname(homes[0]?.home ?? ''), 'authority.pem')
  await writeFile(authority, TEAM_AUTHORITY)
}, 120_000)
afterAll(async () => {
  for (const host of hosts) await host.stop('SIGKILL')
  await server.stop('SIGKILL')
  await front[Symbol.asyncDispose]()
  for (const { drop } of homes) await drop()
})

async function start(network: Record<string, string>): Promise<Headless> {
  const own = await scratchHome()
  homes.push(own)
  const env = Object.entries(cleanEnv({ LOOM_HOME: own.home })).filter(
    ([name]) => !/^(https?_proxy|no_proxy|node_extra_ca_certs)$/i.test(name),
  )
  const host = await startHeadless({ ...Object.fromEntries(env), ...network })
  hosts.push(host)
  return host
}

/** The admin of the team pairs a desktop with the address that everybody is given. */
async function pair(host: Headless): Promise<{ status: number; body: Record<string, unknown> }> {
  const headers = { authorization: `Bearer ${server.token()}` }
  const { body } = await post(server.url, 'pair.create', { org: 'team', subject: 'ann', grants: { '*': 'writer' } }, headers)
  return post(host.url, 'sync.connect', { link: body['link'] })
}

test('a desktop behind a proxy syncs with a server whose certificate a company signed', { timeout: 180_000 }, async () => {
  const host = await start({ HTTPS_PROXY: front.proxy, NODE_EXTRA_CA_CERTS: authority })
  expect(await pair(host)).toMatchObject({ status: 200, body: { org: 'team', subject: 'ann' } })
  const headers = { authorization: `Bearer ${server.token()}` }
  await post(host.url, 'memory.set', { ...PLACE, memory_key: 'far/1', value: 'Written behind the proxy.' })
  const has = async (url: string, memory_key: string, more: Record<string, string> = {}): Promise<boolean> =>
    (await post(url, 'memory.get', { ...PLACE, memory_key }, more)).body['found'] === true
  await until(() => has(server.url, 'far/1', headers), 60_000)
  await post(server.url, 'memory.set', { ...PLACE, memory_key: 'near/1', value: 'Written at the server.' }, headers)
  await until(() => has(host.url, 'near/1'), 60_000)
  expect((await post(host.url, 'sync.status', {})).body).toMatchObject({ server_url: `https://${TEAM_HOST}`, queued: 0, error: null })
  expect(new Set(front.tunnelled)).toEqual(new Set([`${TEAM_HOST}:443`]))
  await host.stop()
})

test('one that lacks the proxy, or does not trust who signed, is told so and pairs with nobody', { timeout: 180_000 }, async () => {
  const asked = front.tunnelled.length
  const direct = await start({ NODE_EXTRA_CA_CERTS: authority })
  expect(await pair(direct)).toMatchObject({ status: 503, body: { detail: { code: 'UNAVAILABLE' } } })
  expect(front.tunnelled).toHaveLength(asked)
  const distrustful = await start({ HTTPS_PROXY: front.proxy })
  expect(await pair(distrustful)).toMatchObject({ status: 503, body: { detail: { code: 'UNAVAILABLE' } } })
  expect((await post(distrustful.url, 'sync.status', {})).body).toMatchObject({ state: 'off' })
})
