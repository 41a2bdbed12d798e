import { afterAll, beforeAll, expect, test } from 'vitest'
import { scratchHome } from '../helpers/headless.ts'
import { startServer, type ServerProcess } from './server-process.ts'
import { overHttp } from './token-helpers.ts'

let server: ServerProcess
let drop: () => Promise<void>

beforeAll(async () => {
  const scratch = await scratchHome()
  drop = scratch.drop
  server = await startServer({ LOOM_SERVER_HOME: scratch.home })
  while (server.token() === null) await new Promise((resolve) => setTimeout(resolve, 20))
}, 60_000)
afterAll(async () => {
  await server.stop()
  await drop()
})

const metrics = (headers: Record<string, string> = {}) => fetch(`${server.url}/metrics`, { headers })

test('GET /metrics counts operations by name and code, and says nothing of what they hold', async () => {
  const secret = 'The vault opens with a whistle.'
  await overHttp(
    server.url,
    'memory.set',
    { namespace: 'n', agent: 'a', memory_key: 'vault/door', value: secret },
    `Bearer ${server.token()}`,
  )
  await overHttp(server.url, 'memory.get', { namespace: 'n', agent: 'a' }, `Bearer ${server.token()}`).catch(() => {})
  const answer = await metrics()
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
  const text = await answer.text()
  expect(text).toMatch(/^loom_operations_total\{op="memory.set",code="ok"\} 1$/m)
  expect(text).toMatch(/^loom_operation_seconds_count\{op="memory.set"\} 1$/m)
  expect(text).toMatch(/^loom_store_bytes [1-9]\d+$/m)
  expect(text).toMatch(/^process_resident_memory_bytes /m)
  for (const held of [secret, 'vault', server.token() ?? '-']) expect(text).not.toContain(held)
})

test('a caller behind a proxy needs the token of a platform admin', async () => {
  expect((await metrics({ 'x-forwarded-for': '203.0.113.9' })).status).toBe(401)
  const own = await metrics({ 'x-forwarded-for': '203.0.113.9', authorization: `Bearer ${server.token()}` })
  expect(own.status).toBe(403)
  expect(await own.json()).toMatchObject({ detail: { code: 'FORBIDDEN' } })
})
