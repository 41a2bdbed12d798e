import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClient } from '../../shared/client/create-client.ts'
import { httpLink } from '../../shared/client/http-link.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { NO_MODELS, type TestEngine } from '../helpers/engine.ts'
import { openServer, pairDevice, set } from '../helpers/push.ts'
import { onEveryTransport, serveEngine } from '../helpers/transports.ts'

onEveryTransport('sync.push', 'is for devices alone', async (call) => {
  const sent = { erasure_seq: 0, sent_at: new Date().toISOString(), changes: [set('a', 'b')] }
  await expect(call('sync.push', sent)).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 })
})

let server: TestEngine
let http: Listening
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS })
  http = await serveEngine(server.engine)
})
afterAll(async () => {
  await http.close()
  await server.close()
})

test('a device pushes over HTTP with its token, and every digit of a version arrives [SET012]', async () => {
  const device = await pairDevice(server, 'alice')
  const client = createClient(httpLink({ baseUrl: http.url, token: device.token }))
  const one = set('tea', 'Prefers green tea.', { local_version: 1_790_000_000_000_000_001n })
  const push = (changes: object[]) => client.sync.push({ erasure_seq: 0, sent_at: new Date().toISOString(), changes } as never)
  const [result] = (await push([one])).results
  expect(result).toMatchObject({ outcome: 'applied', row: { version: String(result?.version) } })
  expect(result?.version).toBeGreaterThan(2n ** 53n)
  const two = set('tea', 'Prefers black tea.', { base_version: result?.version ?? null })
  expect((await push([two])).results).toMatchObject([{ outcome: 'applied', status: 'active' }])
  expect((await push([one, two])).results.map(({ replayed }) => replayed)).toEqual([true, true])
})
