import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_MODELS, openTestEngine, type TestEngine } from '../helpers/engine.ts'
import { serveEngine } from '../helpers/transports.ts'

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS })
})
afterAll(() => loom.close())

const post = (url: string, path: string) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: '{}',
  })

describe('what a person switched off in the settings', () => {
  test('server.http: operations answer 404 and say why; health and MCP go on', async () => {
    const at = await serveEngine(loom.engine, { serves: { http: false, mcp: true } })
    for (const path of ['/v1/memory.list', '/v1/openapi.json', '/v1/events', '/v1/admin/token.mint']) {
      const answer = await post(at.url, path)
      expect([path, answer.status]).toEqual([path, 404])
      expect(await answer.json()).toMatchObject({ detail: { code: 'UNKNOWN_OPERATION', setting: 'server.http' } })
    }
    expect((await fetch(`${at.url}/v1/health`)).status).toBe(200)
    expect((await post(at.url, '/mcp')).status).not.toBe(404)
    await at.close()
  })

  test('server.mcp: /mcp answers 404 and says why; operations go on', async () => {
    const at = await serveEngine(loom.engine, { serves: { http: true, mcp: false } })
    const answer = await post(at.url, '/mcp')
    expect(answer.status).toBe(404)
    expect(JSON.stringify(await answer.json())).toContain('server.mcp')
    expect((await post(at.url, '/v1/memory.list')).status).toBe(200)
    await at.close()
  })
})
