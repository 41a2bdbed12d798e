import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import type { Caller } from '../../../shared/engine/caller.ts'
import { DEFAULT_ERASURE } from '../../../shared/engine/erasure/config.ts'
import { STEPS } from '../../../shared/engine/erasure/store.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { ADMIN, caller, CHAT_ADMIN, CHAT_WRITER, OPS_ADMIN, ORG } from './people.ts'
import { seedUser, tablesWith } from './seed.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

// A purge goes through every table.
vi.setConfig({ testTimeout: 120_000 })

let loom: TestEngine
let users = 0
let user = ''
let canary = ''
beforeAll(async () => {
  loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    config: { erasure: { ...DEFAULT_ERASURE, waitSeconds: 300 }, rates: UNLIMITED },
  })
})
afterAll(() => loom.close())
beforeEach(() => {
  user = `u-${++users}`
  canary = `Canary${users}zz`
})

type Request = CallInputOf<'erasure.request'>
const request = (more: Partial<Request> = {}, by: Partial<Caller> = ADMIN): Promise<OutputOf<'erasure.request'>> =>
  loom.call('erasure.request', { org: ORG, scope_type: 'user_id', scope_value: user, requester: 'dpo@acme.example', ...more }, by)
const set = (namespace: string, memory_key: string, value: string, user_id = user) =>
  loom.call('memory.set', { org: ORG, namespace, agent: 'scribe', user_id, memory_key, value }, ADMIN)
const get = (namespace: string, memory_key: string) =>
  loom.call('memory.get', { org: ORG, namespace, agent: 'scribe', user_id: user, memory_key }, ADMIN)
async function count(from: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.raw(from)}`.execute(loom.database.reader)
  return rows[0]?.n ?? -1
}

it('[ERA028] [ERA036] [ERA043] [ERA045] [ERA052] [ERA060] [ERA070] a user’s rows of all namespaces are stamped, their bytes stay, and nothing serves them', async () => {
  await seedUser(loom, 'chat', user, canary)
  await set('ops', `${canary}/shift`, `${canary} works nights.`)
  await set('chat', 'other/tea', 'Somebody else drinks tea.', 'someone')
  const answer = await request()
  expect(answer).toMatchObject({ status: 'completed', purge: false, residue_count: 0, residue: {}, failure_reason: '' })
  const { rows } = await sql<{
    erased_by: string
    tombstoned_at: Date | null
    value: string
  }>`SELECT erased_by, tombstoned_at, value FROM loom.memory
    WHERE user_id = ${user}`.execute(loom.database.reader)
  expect(rows.length).toBe(4)
  for (const row of rows) {
    expect(row.erased_by).toBe(answer.erasure_id)
    expect(row.tombstoned_at).toBeInstanceOf(Date)
    expect(row.value).toContain(canary)
  }
  expect((await get('chat', `${canary}/tea`)).found).toBe(false)
  expect((await get('ops', `${canary}/shift`)).found).toBe(false)
  const hits = await loom.call('memory.search', { org: ORG, namespace: 'chat', query: canary }, ADMIN)
  expect(hits.results.map((hit) => hit.memory_key)).not.toContain(`${canary}/tea`)
  expect(
    (await loom.call('memory.history', { org: ORG, namespace: 'chat', agent: 'scribe', user_id: user, memory_key: `${canary}/tea` }, ADMIN))
      .rows,
  ).toEqual([])
  expect((await loom.call('memory.list', { org: ORG, namespace: 'chat', user_id: user }, ADMIN)).rows).toEqual([])
  const other = await loom.call(
    'memory.get',
    { org: ORG, namespace: 'chat', agent: 'scribe', user_id: 'someone', memory_key: 'other/tea' },
    ADMIN,
  )
  expect(other.found).toBe(true)
  // The key starts anew, with a history of its own.
  await set('chat', `${canary}/tea`, 'Nobody drinks tea.')
  expect(
    (await loom.call('memory.history', { org: ORG, namespace: 'chat', agent: 'scribe', user_id: user, memory_key: `${canary}/tea` }, ADMIN))
      .rows.length,
  ).toBe(1)
})

it('[ERA029] [ERA033] [ERA044] [ERA046] [ERA052] a purge leaves the text in no table but for what is kept by name; the audit keeps its rows, without keys', async () => {
  await seedUser(loom, 'chat', user, canary)
  const audits = await count(`loom.audit WHERE user_id = '${user}'`)
  expect(audits).toBeGreaterThan(3)
  expect(Object.keys(await tablesWith(loom.database, canary))).toEqual(
    expect.arrayContaining(['memory', 'memory_version', 'audit', 'run', 'idempotency', 'knowledge_document']),
  )
  const answer = await request({ purge: true })
  expect(answer).toMatchObject({ status: 'completed', purge: true, residue_count: 0 })
  // The names of namespaces, keys of idempotency and the scope as it was asked for are no text of the user.
  const left = await tablesWith(loom.database, canary)
  expect(Object.keys(left).filter((name) => name !== 'idempotency')).toEqual([])
  expect(await count(`loom.audit WHERE user_id = '${user}'`)).toBe(audits)
  expect(await count(`loom.audit WHERE user_id = '${user}' AND NOT scrubbed`)).toBe(0)
  for (const table of ['memory', 'memory_version', 'conversation_message', 'knowledge_document', 'run', 'working_memory'])
    expect([table, await count(`loom.${table} WHERE user_id = '${user}'`)]).toEqual([table, 0])
  const chain = await loom.call('audit.list', { org: ORG, namespace: 'chat', verify: true, limit: 1 }, ADMIN)
  expect(chain.chain).toMatchObject({ ok: true })
  // Again: nothing came since, and nothing more goes.
  const before = await count('loom.audit')
  const again = await request({ purge: true })
  expect(again.erasure_id).not.toBe(answer.erasure_id)
  expect(again.steps.map((step) => step.rows_affected)).toEqual(STEPS.map(() => 0))
  expect(await count('loom.audit')).toBe(before + 1)
})

it('[ERA055] [ERA057] [ERA058] [ERA064] [ERA068] [ERA071] [ERA074] the answer tells each step with its rows, the times, and a receipt of all counts', async () => {
  const began = Date.now()
  await seedUser(loom, 'chat', user, canary)
  const rows = (await count(`loom.memory WHERE user_id = '${user}'`)) + (await count(`loom.memory_version WHERE user_id = '${user}'`))
  const answer = await request({ purge: true })
  expect(answer.steps.map(({ step }) => step)).toEqual(STEPS)
  const step = answer.steps.find(({ step: name }) => name === 'delete.memory')
  expect((step?.stores['pg:memory'] ?? 0) + (step?.stores['pg:memory_version'] ?? 0)).toBe(rows)
  for (const one of answer.steps) expect(Object.values(one.stores).reduce((sum, n) => sum + n, 0)).toBe(one.rows_affected)
  expect(Object.values(step?.stores ?? {}).every((affected) => affected > 0)).toBe(true)
  expect(Date.parse(answer.requested_at)).toBeGreaterThanOrEqual(began - 1000)
  expect(answer.requested_at).toMatch(/Z$/)
  expect(Date.parse(answer.verified_at ?? '')).toBeLessThanOrEqual(Date.parse(answer.completed_at ?? ''))
  expect(answer.census).toMatchObject({
    'pg:memory': 0,
    'pg:run_event': 0,
    'objects.document_originals': 0,
    'index.hot': 0,
    backups: 0,
    'pg:audit': 0,
  })
  expect(Object.values(answer.census ?? { none: 1 }).every((left) => left === 0)).toBe(true)
  expect(answer.failure_reason).toBe('')
  expect(answer.steps_completed).toEqual([...STEPS].toSorted())
})

it('[ERA037] [ERA070] a namespace is stamped whatever purge says, and its leases and snapshots go; admin on it suffices', async () => {
  await set('solo', 'a', `${canary} is here.`)
  await loom.call('namespace.snapshot', { org: ORG, namespace: 'solo', name: 'before' }, ADMIN)
  await loom.call('working_memory.acquire', { org: ORG, namespace: 'solo', agent: 'scribe', name: 'lock', note: canary }, ADMIN)
  const solo = { scope_type: 'namespace', scope_value: 'solo', purge: true } as const
  await refused(request(solo, OPS_ADMIN), 'FORBIDDEN')
  const answer = await request(solo, caller({ solo: 'admin' }))
  expect(answer).toMatchObject({ status: 'completed', purge: false })
  expect(await count(`loom.memory WHERE namespace = 'solo' AND erased_by <> ''`)).toBe(1)
  expect(await count(`loom.namespace_snapshot WHERE namespace = 'solo'`)).toBe(0)
  expect(await count(`loom.working_lease WHERE namespace = 'solo'`)).toBe(0)
})

it('[ERA038] [ERA039] [ERA040] a list is an array or an object of 1 to 500 names, for an org admin', async () => {
  await set('one', 'a', `${canary} one.`)
  await set('two', 'b', `${canary} two.`)
  const list = (scope_value: string, more: Partial<Request> = {}, by = ADMIN) =>
    request({ scope_type: 'namespace_list', scope_value, ...more }, by)
  await refused(list('["one"]', {}, caller({ one: 'admin', two: 'admin' })), 'FORBIDDEN')
  const sagas = await count('loom.erasure_saga')
  const seq = await count('loom.erasure_fence')
  const many = (n: number) => JSON.stringify(Array.from({ length: n }, (_, at) => `n${at}`))
  for (const wrong of ['[]', many(501), 'a,b', '{"namespaces":[]}', '{"purge":true}', '"one"', '["No Name"]', 'null', '[1]', '-'])
    expect((await refused(list(wrong), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'scope_value' })
  await refused(list('{"namespaces":["one"],"purge":false}', { purge: true }), 'INVALID_ARGUMENT')
  expect([await count('loom.erasure_saga'), await count('loom.erasure_fence')]).toEqual([sagas, seq])
  expect(await list('["one","two","one"]')).toMatchObject({ status: 'completed', purge: false })
  expect(await count(`loom.memory WHERE namespace IN ('one', 'two') AND erased_by <> ''`)).toBe(2)
  expect(await list('{"namespaces":["one","two"],"purge":true}')).toMatchObject({ status: 'completed', purge: true })
  expect(await count(`loom.memory WHERE namespace IN ('one', 'two')`)).toBe(0)
  // Names that this server never saw: their fences must hold for desktops that did.
  expect(await list(many(500))).toMatchObject({ status: 'completed' })
})

it('[ERA032] [ERA036] the role of the operation is writer, and the scope adds its own right', async () => {
  await set('chat', `${canary}/a`, `${canary} is here.`)
  await refused(request({ scope_type: 'namespace', scope_value: 'chat' }, CHAT_WRITER), 'FORBIDDEN')
  await refused(request({}, CHAT_ADMIN), 'FORBIDDEN')
  await refused(request({ scope_type: 'namespace', scope_value: 'chat' }, caller({ chat: 'admin' }, { user_id: user })), 'FORBIDDEN')
  expect((await get('chat', `${canary}/a`)).found).toBe(true)
})

it('[ERA034] [ERA035] [ERA041] scope, value, requester and urgency are checked before anything happens', async () => {
  const ask = (more: Record<string, unknown>, drop = '') => {
    const call: Record<string, unknown> = { org: ORG, scope_type: 'user_id', scope_value: user, requester: 'dpo', ...more }
    delete call[drop]
    return loom.call('erasure.request', call as Request, ADMIN)
  }
  for (const field of ['scope_type', 'scope_value', 'requester'])
    expect((await refused(ask({}, field), 'INVALID_ARGUMENT')).fields).toMatchObject({ field })
  const nowhere = loom.call(
    'erasure.request',
    { scope_type: 'user_id', scope_value: user, requester: 'dpo' },
    caller({ '*': 'platform_admin' }, { org: '*' }),
  )
  expect((await refused(nowhere, 'MISSING_IDENTITY_FIELD')).fields).toMatchObject({ field: 'org' })
  for (const scope_type of ['everything', 'collection', '']) await refused(ask({ scope_type }), 'INVALID_ARGUMENT')
  for (const scope_value of ['', '-', 'a\0b', '\ud800', 'x'.repeat(201)]) await refused(ask({ scope_value }), 'INVALID_ARGUMENT')
  for (const more of [{ requester: '' }, { requester: 'x'.repeat(321) }, { urgency: 'now' }, { purge: 'yes' }])
    await refused(ask(more), 'INVALID_ARGUMENT')
})

it('[ERA001] [API022] an unknown field is served and named; a near miss of purge is refused', async () => {
  const call = { org: ORG, scope_type: 'user_id', scope_value: user, requester: 'dpo', zzz: 1 }
  expect(
    await loom.engine.run('erasure.request', call, { ...(ADMIN as Caller), transport: 'inproc', fills: {}, local: false, requestId: 'r' }),
  ).toMatchObject({
    status: 'completed',
    ignored_args: ['zzz'],
  })
  await refused(loom.call('erasure.request', { ...call, purg: true } as unknown as Request, ADMIN), 'UNKNOWN_ARGUMENT')
})

it('[ERA041] [ERA042] urgency is recorded, and changes no step', async () => {
  const urgent = await request({ urgency: 'urgent' })
  const normal = await request()
  const listed = await loom.call('erasure.list', { org: ORG }, ADMIN)
  const of = (id: string) => listed.rows.find((row) => row.erasure_id === id)?.urgency
  expect([of(urgent.erasure_id), of(normal.erasure_id)]).toEqual(['urgent', 'normal'])
  expect(urgent.steps.map(({ step, note }) => [step, note])).toEqual(normal.steps.map(({ step, note }) => [step, note]))
})
