import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { ADMIN, CHAT_ADMIN, CHAT_WRITER, ORG } from './people.ts'
import { seedUser } from './seed.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

vi.setConfig({ testTimeout: 120_000 })

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    config: { rates: UNLIMITED, erasure: { ...DEFAULT_ERASURE, waitSeconds: 300 } },
  })
  await seedUser(loom, 'chat', 'u-1', 'Dunnart1')
})
afterAll(() => loom.close())

const SCOPE = { org: ORG, scope_type: 'user_id', scope_value: 'u-1' } as const

it('counts what a request then takes, table by table, and changes nothing', async () => {
  await loom.call('memory.stats', { org: ORG, namespace: 'chat' }, ADMIN)
  const preview = await loom.call('erasure.preview', { ...SCOPE, purge: true }, ADMIN)
  expect(preview).toMatchObject({ purge: true, devices: [], backups: 0 })
  expect(preview.counts).toMatchObject({
    'pg:memory': 3,
    'pg:conversation_thread': 1,
    'pg:knowledge_document': 1,
    'pg:memory_digest': expect.any(Number) as number,
    'index.hot': 3,
  })
  expect(preview.total).toBe(Object.values(preview.counts).reduce((sum, count) => sum + count, 0))
  expect(
    (await loom.call('memory.get', { org: ORG, namespace: 'chat', agent: 'scribe', user_id: 'u-1', memory_key: 'Dunnart1/city' }, ADMIN))
      .found,
  ).toBe(true)
  const again = await loom.call('erasure.preview', { ...SCOPE, purge: true }, ADMIN)
  const answer = await loom.call('erasure.request', { ...SCOPE, requester: 'dpo', purge: true }, ADMIN)
  const taken: Record<string, number> = {}
  for (const { stores } of answer.steps) for (const [key, rows] of Object.entries(stores)) taken[key] = (taken[key] ?? 0) + rows
  // Requests meanwhile add to the ledger of requests and the counters; the index follows its rows.
  const steady = (counts: Record<string, number>) =>
    Object.fromEntries(
      Object.entries(counts).filter(
        ([key, rows]) => rows > 0 && !['pg:run_event', 'pg:memory_usage', 'index.hot', 'pg:audit'].includes(key),
      ),
    )
  expect((await loom.call('erasure.preview', { ...SCOPE, purge: true }, ADMIN)).counts['index.hot'] ?? 0).toBe(0)
  expect(taken).toMatchObject(steady(again.counts))
  expect(Object.keys(steady(taken)).toSorted()).toEqual(Object.keys(steady(again.counts)).toSorted())
})

it('asks for the rights of the request, and for a scope that can be read', async () => {
  await refused(loom.call('erasure.preview', SCOPE, CHAT_ADMIN), 'FORBIDDEN')
  await refused(loom.call('erasure.preview', { ...SCOPE, scope_type: 'namespace', scope_value: 'chat' }, CHAT_WRITER), 'FORBIDDEN')
  expect(
    (await loom.call('erasure.preview', { ...SCOPE, scope_type: 'namespace', scope_value: 'chat', purge: true }, CHAT_ADMIN)).purge,
  ).toBe(false)
  await refused(loom.call('erasure.preview', { ...SCOPE, scope_type: 'namespace_list', scope_value: '[]' }, ADMIN), 'INVALID_ARGUMENT')
})
