import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient } from '../../shared/client/create-client.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import { REGISTRY } from '../../shared/contract/registry.ts'
import { mintToken, type NewToken } from '../../shared/engine/store/tokens.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { OPENING_MS, rpc, serveEngine } from '../helpers/transports.ts'

let multi: TestEngine
let server: Listening
let admin: string
beforeAll(async () => {
  multi = await openTestEngine({ mode: 'multi' })
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
    for (const op of Object.keys(REGISTRY)) {
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
