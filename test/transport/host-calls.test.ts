import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { HostCallName } from '../../shared/contract/host-calls.ts'
import { createIpcEndpoint } from '../../shared/transport/ipc.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { OPENING_MS, serveEngine } from '../helpers/transports.ts'
import { pino } from 'pino'

let multi: TestEngine
let server: Listening
let bare: Listening
const asked: HostCallName[] = []
const hostCalls = {
  run: async (name: HostCallName) => {
    asked.push(name)
    return { answered: name }
  },
}

beforeAll(async () => {
  multi = await openTestEngine({ mode: 'multi' })
  server = await serveEngine(multi.engine, { hostCalls })
  bare = await serveEngine(multi.engine)
}, OPENING_MS)
afterAll(async () => {
  await server.close()
  await bare.close()
  await multi.close()
})

async function ask(headers: Record<string, string>, { name = 'host.apps', url = server.url, method = 'POST' } = {}) {
  const response = await fetch(`${url}/v1/${name}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: '{}' }),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}
const bearer = async (role: 'viewer' | 'admin' | 'platform_admin') => {
  const namespace = role === 'platform_admin' ? '*' : 'local'
  const { token } = await multi.call('token.mint', { subject: `eve-${role}`, kind: 'human', grants: { [namespace]: role } })
  return { authorization: `Bearer ${token}` }
}

describe('calls to the host', () => {
  test('are answered to our own page alone, for whoever has every right', async () => {
    const own = { origin: server.url }
    const every = await bearer('platform_admin')
    expect(await ask({ ...own, ...every })).toEqual({ status: 200, body: { answered: 'host.apps' } })
    expect((await ask(own)).status).toBe(401)
    for (const role of ['viewer', 'admin'] as const) expect((await ask({ ...own, ...(await bearer(role)) })).status).toBe(403)
    expect((await ask(every)).status).toBe(403)
    expect((await ask({ ...every, origin: 'https://example.com' })).status).toBe(421)
    expect((await ask({ ...own, ...every }, { method: 'GET' })).status).toBe(405)
    expect(asked).toEqual(['host.apps'])
  })

  test('are no operations: another name is unknown, and so are all of them to a host that has none', async () => {
    const every = { ...(await bearer('platform_admin')), origin: bare.url }
    expect((await ask({ ...every, origin: server.url }, { name: 'host.shell' })).body).toMatchObject({
      detail: { code: 'UNKNOWN_OPERATION' },
    })
    expect((await ask(every, { url: bare.url })).body).toMatchObject({ detail: { code: 'UNKNOWN_OPERATION' } })
  })

  test('over the bridge of the desktop the window has them', async () => {
    const log = pino({ level: 'silent' })
    expect(await createIpcEndpoint(multi.engine, log, hostCalls)('host.agents', {})).toEqual({
      ok: true,
      value: { answered: 'host.agents' },
    })
    expect(await createIpcEndpoint(multi.engine, log)('host.agents', {})).toMatchObject({ ok: false, error: { code: 'UNKNOWN_OPERATION' } })
  })
})
