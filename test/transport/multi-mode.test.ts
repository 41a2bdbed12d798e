import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../shared/client/create-client.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import { ipcLink } from '../../shared/client/ipc-link.ts'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { mintToken, type NewToken } from '../../shared/engine/store/tokens.ts'
import { createIpcEndpoint } from '../../shared/transport/ipc.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { OPENING_MS, quietLog, rpc, serveEngine } from '../helpers/transports.ts'

let multi: TestEngine
let server: Listening
let admin: string
let now = Date.now()
beforeAll(async () => {
  multi = await openTestEngine({ mode: 'multi', clock: () => now })
  server = await serveEngine(multi.engine)
  admin = await mint({ grants: { '*': 'platform_admin' } })
}, OPENING_MS)
afterAll(async () => {
  await server.close()
  await multi.close()
})

async function mint(claims: Partial<NewToken>): Promise<string> {
  const token: NewToken = { org: 'dev', subject: 'ada', kind: 'human', grants: { local: 'writer' }, ...claims }
  const minted = await multi.database.transaction((tx) => mintToken(tx, token, { actor: 'process:test', requestId: 'test' }, new Date()))
  return minted.token
}

async function post(op: string, body: unknown, token?: string): Promise<Response> {
  return fetch(`${server.url}/v1/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
    body: JSON.stringify(body),
  })
}

describe('without a token', () => {
  test('no operation, event or MCP call is answered, and no body is read', async () => {
    // pair.redeem brings a credential of its own, and is a server's.
    for (const op of Object.keys(REGISTRY).filter((name) => name !== 'pair.redeem')) {
      // Thirty failures a minute are answered so.
      now += 2000
      const answer = await post(op, {})
      expect(await answer.json(), op).toMatchObject({ detail: { code: 'UNAUTHENTICATED', category: 'auth', retryable: false } })
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    }
    const bad = { headers: { authorization: 'Bearer loom_nonsense' } }
    expect((await fetch(`${server.url}/v1/events`, bad)).status).toBe(401)
    const mcp = await fetch(`${server.url}/mcp`, { method: 'POST', body: 'not even JSON', ...bad })
    expect(await mcp.json()).toMatchObject({ jsonrpc: '2.0', error: {}, detail: { code: 'UNAUTHENTICATED' } })
  })

  test('[API028] health and the OpenAPI document are', async () => {
    expect((await fetch(`${server.url}/v1/health`)).status).toBe(200)
    expect((await fetch(`${server.url}/v1/openapi.json`)).status).toBe(200)
  })
})

describe('with a token', () => {
  test('[SET022] the documented call stores the row', async () => {
    const answer = await post('memory.set', REGISTRY['memory.set'].example?.input, admin)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ conflict_verdict: 'clear', noop: false, memory_key: 'deploy/window/prod', next: '' })
  })

  test('[API017] what the token fixes is filled in, over HTTP and over MCP, and may not be contradicted', async () => {
    const token = await mint({ agent: 'scribe', user_id: 'ada', own_session: true, session_id: 'desk' })
    expect((await post('memory.set', { memory_key: 'filled/one', value: 'Filled from the token.' }, token)).status).toBe(200)
    const filled = { org: 'dev', namespace: 'local', agent: 'scribe', user_id: 'ada', session_id: 'desk', actor: 'human:ada' }
    const overHttp = await post('memory.get', { memory_key: 'filled/one' }, token)
    expect(await overHttp.json()).toMatchObject(filled)
    const params = { name: 'loom_memory_get', arguments: { memory_key: 'filled/one' } }
    const overMcp = await rpc(`${server.url}/mcp?agent=another`, 'tools/call', params, { authorization: `Bearer ${token}` })
    expect(overMcp.body.result?.structuredContent).toMatchObject(filled)
    const refused = await post('memory.get', { memory_key: 'filled/one', user_id: 'grace' }, token)
    expect(await refused.json()).toMatchObject({ detail: { code: 'FORBIDDEN', field: 'user_id' } })
  })

  test('what nothing fills is named', async () => {
    const answer = await post('memory.set', { memory_key: 'a/b', value: 1 }, await mint({}))
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ detail: { code: 'MISSING_IDENTITY_FIELD', field: 'agent' } })
  })

  test('events tell of the namespaces that it reaches only, and of none to a bound one', async () => {
    const follow = async (token: string): Promise<string[]> => {
      // A value of its own each time: the same text under another key would be merged, which changes nothing.
      const seen: string[] = []
      const client = createClient(httpLink({ baseUrl: server.url, token }))
      const stop = client.events((event) => event.type === 'memory.changed' && seen.push(event.memory_key))
      await new Promise((resolve) => setTimeout(resolve, 150))
      const writer = createClient(httpLink({ baseUrl: server.url, token: admin }))
      for (const namespace of ['local', 'secret']) {
        await writer.memory.set({ namespace, agent: 'x', memory_key: `${namespace}/${token.slice(5, 9)}`, value: `${token} was here.` })
      }
      await new Promise((resolve) => setTimeout(resolve, 150))
      stop()
      return seen.map((key) => key.split('/')[0] ?? '')
    }
    expect(await follow(await mint({ grants: { local: 'viewer' } }))).toEqual(['local'])
    expect(await follow(admin)).toEqual(['local', 'secret'])
    const bound = await mint({ user_id: 'ada' })
    expect((await fetch(`${server.url}/v1/events`, { headers: { authorization: `Bearer ${bound}` } })).status).toBe(403)
  })
})

describe('an event stream', () => {
  test('ends when its token is revoked, and tells nothing more', async () => {
    const { token, claims } = await multi.call('token.mint', { subject: 'eve', kind: 'human', grants: { local: 'viewer' } })
    const answer = await fetch(`${server.url}/v1/events`, { headers: { authorization: `Bearer ${token}` } })
    const write = (key: string) =>
      multi.call('memory.set', { namespace: 'local', agent: 'x', memory_key: key, value: `${key} is a thing.` })
    await write('stream/before')
    await multi.call('token.revoke', { token_id: claims.token_id })
    await new Promise((resolve) => setTimeout(resolve, 1050))
    await write('stream/after')
    const told = await answer.text()
    expect(told).toContain('stream/before')
    expect(told).not.toContain('stream/after')
  })
})

describe('the window of the install', () => {
  test('[SET022] needs no token: it is the person’s own, and fills what the install fills', async () => {
    const window = createClient(ipcLink({ call: createIpcEndpoint(multi.engine, quietLog()), listen: () => () => undefined }))
    expect(await window.memory.set({ memory_key: 'from/window', value: 'The window writes this.' }, {})).toMatchObject({
      namespace: 'local',
    })
    expect(await window.memory.get({ memory_key: 'from/window' })).toMatchObject({ org: 'dev', agent: 'default', actor: 'human:local' })
    const { token } = await window.token.mint({ subject: 'bot', kind: 'process', grants: { local: 'viewer' } })
    const got = await post('memory.get', { memory_key: 'from/window', agent: 'default' }, token)
    expect(await got.json()).toMatchObject({ found: true, value: 'The window writes this.' })
  })
})
