import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorBody } from '../../shared/contract/errors.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { serveEngine } from '../helpers/transports.ts'
import { detailOf, mint, overHttp, overMcp } from './token-helpers.ts'

let loom: TestEngine
let server: Listening
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS })
  server = await serveEngine(loom.engine)
})
afterAll(async () => {
  await server.close()
  await loom.close()
})

/** Far enough apart that no road's row is judged against another's. */
const FACTS: Record<string, string> = { HTTP: 'The red lamp hangs in the hall.', MCP: 'Invoices are sent by post each Friday.' }
const ROADS = [
  ['HTTP', overHttp],
  ['MCP', overMcp],
] as const

describe.each(ROADS)('a token over %s', (road, call) => {
  const list = (authorization?: string) => call(server.url, 'memory.list', { namespace: 'chat' }, authorization)

  test('[SET022] lets its holder in, and is read on every call: once revoked it is refused', async () => {
    const { token, claims } = await mint(loom.database, { grants: { chat: 'writer' } })
    expect((await list(`Bearer ${token}`)).body).toMatchObject({ rows: [] })
    expect((await list(`bearer  ${token}`)).status).toBe(200)
    await loom.database.reader.updateTable('auth_token').set({ revoked_at: new Date() }).where('token_id', '=', claims.token_id).execute()
    expect((await list(`Bearer ${token}`)).status).toBe(401)
  })

  test('is 401 UNAUTHENTICATED, in the documented body and alike, when it is none, garbage, unknown, wrong, revoked or expired', async () => {
    const { token } = await mint(loom.database, { grants: { chat: 'writer' } })
    const id = token.slice(5, 21)
    // It may hold a further underscore.
    const secret = token.slice(22)
    const gone = await mint(loom.database, { grants: { chat: 'writer' } })
    await loom.database.reader
      .updateTable('auth_token')
      .set({ revoked_at: new Date() })
      .where('token_id', '=', gone.claims.token_id)
      .execute()
    const old = await mint(loom.database, { grants: { chat: 'writer' }, expires_at: new Date(Date.now() - 1) })
    const bad = {
      none: undefined,
      empty: '',
      'no scheme': token,
      'another scheme': `Basic ${token}`,
      garbage: 'Bearer garbage',
      'a quote': `Bearer loom_${id}_'; DROP TABLE loom.auth_token; --`,
      'an unknown id': `Bearer loom_${'a'.repeat(16)}_${secret}`,
      'a wrong secret': `Bearer loom_${id}_${'A'.repeat(43)}`,
      'a part of the secret': `Bearer loom_${id}_${secret.slice(0, 42)}`,
      'the hash as secret': `Bearer loom_${id}_${secret.toUpperCase()}`,
      revoked: `Bearer ${gone.token}`,
      expired: `Bearer ${old.token}`,
    }
    const messages = new Set<string>()
    for (const [what, authorization] of Object.entries(bad)) {
      const answer = await list(authorization)
      expect([what, answer.status]).toEqual([what, 401])
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
      const detail = detailOf(answer)
      expect(Object.keys(detail)).toEqual(expect.arrayContaining(Object.keys(errorBody(new Error('x'), 'id').detail)))
      expect(detail).toMatchObject({
        code: 'UNAUTHENTICATED',
        category: 'auth',
        retryable: false,
        request_id: expect.any(String) as string,
      })
      messages.add(detail.message)
    }
    expect(messages.size).toBe(1)
    expect([...messages].join()).not.toContain(secret)
    expect((await list(`Bearer ${token}`)).status).toBe(200)
  })

  test('[API014][API031] gives its role in its namespaces and nothing in others, which a 403 names', async () => {
    const tokens = Object.fromEntries(
      await Promise.all(
        (['viewer', 'writer', 'admin', 'org_admin'] as const).map(
          async (role) =>
            [
              role,
              `Bearer ${(await mint(loom.database, { grants: role === 'org_admin' ? { '*': role } : { roles: role } })).token}`,
            ] as const,
        ),
      ),
    ) as Record<'viewer' | 'writer' | 'admin' | 'org_admin', string>
    const namespace = 'roles'
    const key = `k-${road}`
    const set = { namespace, agent: 'a', memory_key: key, value: FACTS[road] }
    const forbidden = async (op: string, input: object, token: string, role: string) => {
      const answer = await call(server.url, op, input, token)
      expect(answer.status).toBe(road === 'HTTP' ? 403 : 200)
      expect(detailOf(answer)).toMatchObject({ code: 'FORBIDDEN', role_needed: role, field: 'namespace' })
      expect(detailOf(answer).message).toContain(role)
    }
    await forbidden('memory.set', set, tokens.viewer, 'writer')
    expect((await call(server.url, 'memory.set', set, tokens.writer)).body).toMatchObject({ status: 'active' })
    expect((await call(server.url, 'memory.get', { namespace, agent: 'a', memory_key: key }, tokens.viewer)).body).toMatchObject({
      found: true,
    })
    await forbidden('memory.delete', { namespace, agent: 'a', memory_key: key }, tokens.viewer, 'writer')
    expect((await call(server.url, 'memory.lock', { namespace, memory_key: key, reason: 'x' }, tokens.writer)).body).toMatchObject({
      locked: true,
    })
    await forbidden('memory.unlock', { namespace, memory_key: key }, tokens.writer, 'admin')
    expect((await call(server.url, 'memory.unlock', { namespace, memory_key: key }, tokens.admin)).body).toMatchObject({ unlocked: true })
    await forbidden('namespace.register', { namespace, description: 'x' }, tokens.writer, 'admin')
    expect((await call(server.url, 'namespace.register', { namespace, description: road }, tokens.admin)).body).toMatchObject({ namespace })
    const fresh = `new-${road.toLowerCase()}`
    await forbidden('namespace.register', { namespace: fresh }, await adminOf(fresh), 'org_admin')
    expect((await call(server.url, 'namespace.register', { namespace: fresh }, tokens.org_admin)).body).toMatchObject({ created: true })
    await forbidden('memory.list', { namespace: 'elsewhere' }, tokens.admin, 'viewer')
    await forbidden('memory.set', { ...set, namespace: 'elsewhere' }, tokens.admin, 'writer')
    const names = (await call(server.url, 'namespace.list', {}, tokens.viewer)).body['namespaces'] as { namespace: string; role: string }[]
    expect(names.map((one) => [one.namespace, one.role])).toEqual([['roles', 'viewer']])
  })

  test('[API017][API018] fills what it fixes, and refuses a call that says otherwise, naming the field', async () => {
    const { token } = await mint(loom.database, {
      grants: { desk: 'writer' },
      agent: 'bot',
      user_id: 'ann',
      own_session: true,
      session_id: 's1',
    })
    const fixed = { org: 'acme', namespace: 'desk', agent: 'bot', user_id: 'ann', session_id: 's1' }
    const claim = { memory_key: `fill-${road}`, value: FACTS[road] }
    const set = await call(server.url, 'memory.set', claim, `Bearer ${token}`)
    expect(set.body).toMatchObject({ status: 'active', namespace: 'desk' })
    const got = await call(server.url, 'memory.get', { memory_key: claim.memory_key }, `Bearer ${token}`)
    expect(got.body).toMatchObject({ found: true, ...fixed })
    expect((await call(server.url, 'memory.set', { ...claim, ...fixed }, `Bearer ${token}`)).body).toMatchObject({ noop: true })
    for (const field of ['org', 'namespace', 'agent', 'user_id', 'session_id']) {
      const answer = await call(server.url, 'memory.set', { ...claim, [field]: 'other' }, `Bearer ${token}`)
      expect(detailOf(answer)).toMatchObject({ code: 'FORBIDDEN', field })
    }
  })

  test('a field that nothing fills is 400 MISSING_IDENTITY_FIELD naming it', async () => {
    const { token } = await mint(loom.database, { grants: { '*': 'writer' } })
    const answer = await call(server.url, 'memory.set', { memory_key: 'k', value: 'v', agent: 'a' }, `Bearer ${token}`)
    expect(detailOf(answer)).toMatchObject({ code: 'MISSING_IDENTITY_FIELD', field: 'namespace' })
    const platform = await mint(loom.database, { org: '*', grants: { '*': 'platform_admin' } })
    const orgless = await call(server.url, 'memory.list', { namespace: 'chat' }, `Bearer ${platform.token}`)
    expect(detailOf(orgless)).toMatchObject({ code: 'MISSING_IDENTITY_FIELD', field: 'org' })
    expect((await call(server.url, 'memory.list', { org: 'acme', namespace: 'chat' }, `Bearer ${platform.token}`)).body).toMatchObject({
      rows: [],
    })
  })
})

async function adminOf(namespace: string): Promise<string> {
  return `Bearer ${(await mint(loom.database, { grants: { [namespace]: 'admin' } })).token}`
}

describe('without a token', () => {
  test('[API028] health and the API description answer', async () => {
    for (const path of ['/v1/health', '/v1/openapi.json']) expect((await fetch(`${server.url}${path}`)).status).toBe(200)
  })

  test('nothing else does: no operation, no events, no MCP handshake', async () => {
    expect((await fetch(`${server.url}/v1/events`)).status).toBe(401)
    expect((await overHttp(server.url, 'engine.info', {})).status).toBe(401)
    const handshake = await fetch(`${server.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    })
    expect(handshake.status).toBe(401)
  })
})

describe('a minted token', () => {
  test('[PRV002][PRV003] names the actor of what it writes, which no field of a call can set', async () => {
    for (const kind of ['human', 'process'] as const) {
      const { token } = await mint(loom.database, { kind, subject: 'bob', grants: { actors: 'writer' } })
      const input = { agent: 'a', memory_key: `by-${kind}`, value: FACTS[kind === 'human' ? 'HTTP' : 'MCP'], actor: 'human:eve' }
      const set = await overHttp(server.url, 'memory.set', input, `Bearer ${token}`)
      expect(set.body).toMatchObject({ ignored_args: ['actor'] })
      const got = await overHttp(server.url, 'memory.get', { agent: 'a', memory_key: input.memory_key }, `Bearer ${token}`)
      expect(got.body).toMatchObject({ actor: `${kind}:bob`, source_class: kind === 'human' ? 'user' : 'agent' })
    }
  })

  test('has the documented form, and only the hash of its secret is stored', async () => {
    const { token, claims } = await mint(loom.database, { grants: { chat: 'viewer' }, own_session: true })
    expect(token).toMatch(/^loom_[a-z2-7]{16}_[A-Za-z0-9_-]{43}$/)
    expect(token.slice(5, 21)).toBe(claims.token_id)
    expect(claims.session_id).toBe(`tok-${claims.token_id}`)
    const row = await loom.database.reader
      .selectFrom('auth_token')
      .selectAll()
      .where('token_id', '=', claims.token_id)
      .executeTakeFirstOrThrow()
    expect(row.secret_sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(Object.values(row).map(String).join()).not.toContain(token.slice(22))
    const audit = await loom.database.reader.selectFrom('audit').selectAll().where('op', '=', 'token.mint').execute()
    expect(audit.filter((one) => one.subject.endsWith(claims.token_id))).toHaveLength(1)
    expect(audit.flatMap(({ salt: _salt, ...rest }) => Object.values(rest).map(String)).join()).not.toContain(token.slice(22))
  })
})
