import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { DEFAULT_RATES, type Rates } from '../../shared/engine/access/rate-limits.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { newDeviceKey } from '../helpers/device-key.ts'
import { rpc, serveEngine } from '../helpers/transports.ts'
import { detailOf, mint, overHttp, overMcp } from '../sync-server/token-helpers.ts'

let now = 1_800_000_000_000
const opened: { loom: TestEngine; server: Listening }[] = []

async function serve(rates: Partial<Rates> = {}, mode: 'single' | 'multi' = 'multi') {
  const config = { rates: { ...DEFAULT_RATES, ...rates } }
  const loom = await openTestEngine({ host: 'server', mode, models: NO_MODELS, clock: () => now, config })
  const server = await serveEngine(loom.engine)
  opened.push({ loom, server })
  const token = async () => `Bearer ${(await mint(loom.database, { grants: { '*': 'org_admin' } })).token}`
  return { url: server.url, token }
}
afterAll(async () => {
  for (const { loom, server } of opened) {
    await server.close()
    await loom.close()
  }
})

describe('the budget of a token', () => {
  let url: string
  let token: () => Promise<string>
  beforeAll(async () => {
    ;({ url, token } = await serve({ read: 5, write: 2, admin: 4 }))
  })

  test('[API027] is one for HTTP and MCP, and runs out alike on both', async () => {
    const bearer = await token()
    const list = { namespace: 'chat' }
    for (const call of [overHttp, overMcp, overHttp, overMcp, overMcp])
      expect((await call(url, 'memory.list', list, bearer)).body).toMatchObject({ rows: [] })
    const http = await overHttp(url, 'memory.list', list, bearer)
    expect([http.status, http.headers.get('retry-after')]).toEqual([429, '12'])
    const detail = { code: 'RATE_LIMITED', category: 'limit', retryable: true, class: 'read', retry_after_s: 12 }
    expect(detailOf(http)).toMatchObject(detail)
    expect(detailOf(await overMcp(url, 'memory.list', list, bearer))).toMatchObject(detail)
    const byName = { name: 'loom_op', arguments: { op: 'memory.list', arguments: list } }
    const over = await rpc(`${url}/mcp`, 'tools/call', byName, { authorization: bearer })
    expect(over.body.result).toMatchObject({ isError: true, structuredContent: { detail } })
    // Other classes, other tokens, and what is free go on.
    expect((await overHttp(url, 'memory.set', { namespace: 'chat', agent: 'a', memory_key: 'k', value: 'v' }, bearer)).status).toBe(200)
    expect((await overHttp(url, 'memory.list', list, await token())).status).toBe(200)
    expect((await fetch(`${url}/v1/health`)).status).toBe(200)
    now += 12_000
    expect((await overHttp(url, 'memory.list', list, bearer)).status).toBe(200)
    expect((await overHttp(url, 'memory.list', list, bearer)).status).toBe(429)
  })

  test('pays for calls that are refused too, and for an event stream', async () => {
    const bearer = await token()
    const wrong = { namespace: 'chat', agent: 'a', memory_key: 'k' }
    for (const status of [422, 422, 429]) expect((await overHttp(url, 'memory.set', wrong, bearer)).status).toBe(status)
    for (let at = 0; at < 5; at++) await overHttp(url, 'memory.list', { namespace: 'chat' }, bearer)
    const stream = await fetch(`${url}/v1/events`, { headers: { authorization: bearer } })
    expect(stream.status).toBe(429)
  })

  test('is shown by engine.info', async () => {
    const info = await overHttp(url, 'engine.info', {}, await token())
    expect(info.body['limits']).toEqual({
      max_request_bytes: 33_554_432,
      rates: { read: 5, write: 2, search: 300, bulk: 60, 'memory.import': 60, admin: 4 },
    })
  })
})

describe('without a token', () => {
  test('pair.redeem takes ten calls a minute from an address', async () => {
    const { url } = await serve()
    const key = newDeviceKey()
    const redeem = () =>
      overHttp(url, 'pair.redeem', {
        code: 'AAAA-AAAA-AAAA',
        device_name: 'd',
        device_key: key.device_key,
        proof: key.prove('AAAA-AAAA-AAAA'),
      })
    for (let at = 0; at < 10; at++) expect((await redeem()).status).toBe(404)
    const limited = await redeem()
    expect([limited.status, detailOf(limited)['class'], limited.headers.get('retry-after')]).toEqual([429, 'admin', '6'])
    now += 6000
    expect((await redeem()).status).toBe(404)
  })

  test('30 failed authentications a minute from an address, then 429 for its unauthenticated calls alone', async () => {
    const { url, token } = await serve()
    const bearer = await token()
    const bad = `Bearer loom_${'a'.repeat(16)}_${'A'.repeat(43)}`
    const tries = [
      () => overHttp(url, 'memory.list', {}, bad),
      () => overHttp(url, 'memory.list', {}),
      () => overMcp(url, 'memory.list', {}, bad),
    ]
    for (let at = 0; at < 30; at++) expect((await tries[at % 3]?.())?.status).toBe(401)
    for (const attempt of tries) {
      const limited = await attempt()
      expect([limited.status, detailOf(limited).code, limited.headers.get('retry-after')]).toEqual([429, 'RATE_LIMITED', '2'])
    }
    const key = newDeviceKey()
    const redeem = { code: 'AAAA-AAAA-AAAA', device_name: 'd', device_key: key.device_key, proof: key.prove('AAAA-AAAA-AAAA') }
    expect((await overHttp(url, 'pair.redeem', redeem)).status).toBe(429)
    expect((await overHttp(url, 'memory.list', { namespace: 'chat' }, bearer)).status).toBe(200)
    expect((await fetch(`${url}/v1/health`)).status).toBe(200)
    now += 60_000
    expect((await overHttp(url, 'memory.list', {}, bad)).status).toBe(401)
  })

  test('pair.redeem needs none, and reads no long body', async () => {
    const { url } = await serve()
    expect((await overHttp(url, 'pair.redeem', {})).status).toBe(422)
    expect((await overHttp(url, 'pair.redeem', { code: 'x'.repeat(70_000) })).status).toBe(413)
    for (const op of Object.keys(REGISTRY)
      .filter((name) => name !== 'pair.redeem')
      .slice(0, 5))
      expect((await overHttp(url, op, {})).status).toBe(401)
  })
})

test('in single mode nothing is limited', async () => {
  const { url } = await serve({ read: 1 }, 'single')
  for (let at = 0; at < 20; at++) expect((await overHttp(url, 'memory.list', {})).status).toBe(200)
  expect((await overHttp(url, 'engine.info', {})).body['limits']).toMatchObject({ rates: { read: 0, write: 0 } })
})

test('POST /v1/admin/token.mint is token.mint', async () => {
  const { url, token } = await serve()
  const input = { subject: 'bot', kind: 'process', grants: { chat: 'viewer' } }
  const made = await overHttp(url, 'admin/token.mint', input, await token())
  expect(made).toMatchObject({ status: 200, body: { claims: { org: 'acme', subject: 'bot' } } })
  expect((await overHttp(url, 'admin/token.mint', input)).status).toBe(401)
  expect((await fetch(`${url}/v1/admin/token.mint`)).status).toBe(405)
  expect((await overHttp(url, 'admin/token.list', {}, await token())).status).toBe(404)
})

test('a revoked device is told so by its next call, over HTTP and over MCP', async () => {
  const { url, token } = await serve()
  const bearer = await token()
  const { body } = await overHttp(url, 'pair.create', { subject: 'bob', grants: { chat: 'writer' } }, bearer)
  const code = String(body['code'])
  const key = newDeviceKey()
  const paired = await overHttp(url, 'pair.redeem', { code, device_name: 'd', device_key: key.device_key, proof: key.prove(code) })
  const device = `Bearer ${String(paired.body['token'])}`
  expect((await overHttp(url, 'memory.list', { namespace: 'chat' }, device)).status).toBe(200)
  await overHttp(url, 'device.revoke', { device_id: paired.body['device_id'], wipe: true }, bearer)
  for (const call of [overHttp, overMcp]) {
    const refused = await call(url, 'memory.list', { namespace: 'chat' }, device)
    expect(refused.status).toBe(401)
    expect(detailOf(refused)).toMatchObject({ code: 'UNAUTHENTICATED', device_revoked: true, wipe: true })
  }
})
