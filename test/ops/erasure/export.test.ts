import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import type { Caller } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { ADMIN, caller, CHAT_ADMIN, CHAT_WRITER, OPS_ADMIN, ORG } from './people.ts'
import { seedUser } from './seed.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

let loom: TestEngine
const USER = 'u-42'
const erasure = { waitSeconds: 300, maxAttempts: 5, exportConversationMaxBytes: 60, vacuumFull: false }
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, config: { rates: UNLIMITED, erasure } })
  await seedUser(loom, 'chat', USER, 'Quokka')
  await loom.call('memory.set', { ...at('ops'), memory_key: 'ops/shift', value: 'Works nights.' }, ADMIN)
  await loom.call(
    'memory.set',
    { ...at('chat'), memory_key: 'pass', value: 'The password of the vault is hunter2hunter2.', sensitivity: 'high' },
    ADMIN,
  )
  await loom.call('memory.set', { ...at('chat', 'someone'), memory_key: 'other', value: 'Of somebody else.' }, ADMIN)
  await loom.call('memory.set', { ...at('chat'), memory_key: 'gone', value: 'Deleted later.' }, ADMIN)
  await loom.call('memory.delete', { ...at('chat'), memory_key: 'gone' }, ADMIN)
  await loom.call(
    'knowledge.add',
    { ...at('chat', 'someone'), document_key: 'theirs', title: 'Theirs', text: '# Theirs\n\nA page.' },
    ADMIN,
  )
  const messages = ['one', 'two', 'three'].map((word) => ({
    role: 'user' as const,
    content: `${word} ${'x'.repeat(30)}`,
    message_id: word,
  }))
  await loom.call(
    'conversation.append',
    { ...at('chat'), thread_id: 'th-long', title: 'Long', metadata: { blob: 'y'.repeat(5000) }, sensitivity: 'medium', messages },
    ADMIN,
  )
  await loom.call('conversation.append', { ...at('chat'), thread_id: 'th-gone', messages: [{ role: 'user', content: 'hm' }] }, ADMIN)
  await loom.call('conversation.delete', { ...at('chat'), thread_id: 'th-gone' }, ADMIN)
})
afterAll(() => loom.close())

const at = (namespace: string, user_id = USER) => ({ org: ORG, namespace, agent: 'scribe', user_id })
type Export = CallInputOf<'erasure.export'>
const exported = (more: Partial<Export> = {}, by: Partial<Caller> = ADMIN) =>
  loom.call('erasure.export', { org: ORG, scope_type: 'user_id', scope_value: USER, requester: 'dpo@acme.example', ...more }, by)
const CHAT = { scope_type: 'namespace', scope_value: 'chat' } as const
function textOf(row: Readonly<Record<string, unknown>>, name: string): string {
  const value = row[name]
  if (typeof value !== 'string') throw new TypeError(`${name} is no text`)
  return value
}

it('[ERA002] [ERA008] [ERA012] [ERA013] [ERA014] [ERA015] a user is exported from all namespaces, heads as they are, with what was asked', async () => {
  const began = Date.now()
  const told = await exported()
  expect(told).toMatchObject({ org: ORG, scope_type: 'user_id', scope_value: USER, requester: 'dpo@acme.example' })
  expect(Math.abs(Date.parse(told.exported_at) - began)).toBeLessThan(60_000)
  expect(told.exported_at).toMatch(/Z$/)
  const { rows } = await sql<{
    memory_key: string
    version: bigint
  }>`SELECT memory_key, version FROM loom.memory WHERE org = ${ORG} AND user_id = ${USER}
    AND erased_by = '' ORDER BY memory_key`.execute(loom.database.reader)
  expect(told.memory.rows.map((row) => [row['memory_key'], row['version']])).toEqual(rows.map((row) => [row.memory_key, row.version]))
  expect(new Set(told.memory.rows.map((row) => row['namespace']))).toEqual(new Set(['chat', 'ops']))
  expect(told.memory.rows.find((row) => row['memory_key'] === 'pass')).toMatchObject({
    sensitivity: 'high',
    value: expect.stringContaining('hunter2') as string,
  })
  const sections = ['memory', 'knowledge', 'conversations', 'conversation_threads', 'agent_events', 'audit_log'] as const
  expect(Object.keys(told.counts).toSorted()).toEqual([...sections].toSorted())
  for (const name of sections) expect(told.counts[name]).toBe(told[name].rows.length)
  await refused(exported({}, CHAT_ADMIN), 'FORBIDDEN')
})

it('[ERA010] [ERA016] [ERA021] a namespace is exported whole by its admin; a user’s chunks are those that the user wrote anywhere', async () => {
  const chat = await exported(CHAT, CHAT_ADMIN)
  expect(chat.memory.rows.map((row) => row['memory_key'])).toEqual(expect.arrayContaining(['other', 'pass']))
  expect(new Set(chat.memory.rows.map((row) => row['namespace']))).toEqual(new Set(['chat']))
  expect(new Set(chat.knowledge.rows.map((row) => row['title']))).toEqual(new Set(['Quokka', 'Theirs']))
  expect(chat.knowledge.rows[0]).toMatchObject({
    chunk_index: 0,
    text: expect.any(String) as string,
    created_by: 'human:ann',
    collection: 'default',
  })
  expect(new Set((await exported()).knowledge.rows.map((row) => row['title']))).toEqual(new Set(['Quokka']))
  expect(new Set(chat.audit_log.rows.map((row) => row['namespace']))).toEqual(new Set(['chat']))
  const mine = (await exported()).audit_log.rows
  expect(mine.length).toBeGreaterThan(3)
  for (const row of mine) expect(['subject', 'user_id', 'actor'].map((name) => textOf(row, name)).join(' ')).toContain(USER)
  await refused(exported(CHAT, OPS_ADMIN), 'FORBIDDEN')
  await refused(exported(CHAT, CHAT_WRITER), 'FORBIDDEN')
})

it('[ERA021] the audit names a user as a word of a name, as a user and as an actor, and nobody whose name only begins so', async () => {
  await loom.call('memory.set', { org: ORG, namespace: 'chat', agent: 'scribe', memory_key: 'about/u-77/tea', value: 'Drinks tea.' }, ADMIN)
  await loom.call('memory.set', { org: ORG, namespace: 'chat', agent: 'scribe', memory_key: 'about/u-778', value: 'Drinks coffee.' }, ADMIN)
  await loom.call(
    'memory.set',
    { org: ORG, namespace: 'chat', agent: 'scribe', memory_key: 'plain', value: 'By the user.' },
    caller({ '*': 'org_admin' }, { subject: 'u-77' }),
  )
  const { rows } = (await exported({ scope_value: 'u-77' })).audit_log
  expect(
    rows
      .map((row) => textOf(row, 'memory_key'))
      .filter((key) => key !== '')
      .toSorted(),
  ).toEqual(['about/u-77/tea', 'plain'])
})

it('[ERA009] [ERA007] [ERA006] a list follows the form of a request; what is required is asked for', async () => {
  const both = await exported({ scope_type: 'namespace_list', scope_value: '{"namespaces":["chat","ops"],"purge":true}' })
  expect(new Set(both.memory.rows.map((row) => row['namespace']))).toEqual(new Set(['chat', 'ops']))
  await refused(exported({ scope_type: 'namespace_list', scope_value: '["chat"]' }, CHAT_ADMIN), 'FORBIDDEN')
  await refused(exported({ scope_type: 'namespace_list', scope_value: '[]' }), 'INVALID_ARGUMENT')
  await refused(exported({ scope_type: 'session' as never }), 'INVALID_ARGUMENT')
  for (const field of ['scope_type', 'scope_value', 'requester'] as const)
    expect((await refused(exported({ [field]: undefined }), 'INVALID_ARGUMENT')).fields).toMatchObject({ field })
  const nowhere = loom.call(
    'erasure.export',
    { scope_type: 'user_id', scope_value: USER, requester: 'x' },
    caller({ '*': 'platform_admin' }, { org: '*' }),
  )
  expect((await refused(nowhere, 'MISSING_IDENTITY_FIELD')).fields).toMatchObject({ field: 'org' })
})

it('[ERA003] [ERA014] no section is longer than section_limit, and a longer one says so', async () => {
  const told = await exported({ section_limit: 2 })
  expect(told.counts.memory).toBe(2)
  expect(told.memory.truncated).toBe(true)
  expect(Object.values(told.counts).every((count) => count <= 2)).toBe(true)
  expect((await exported({ section_limit: 100 })).memory.truncated).toBe(false)
  for (const section_limit of [0, 100_001]) await refused(exported({ section_limit }), 'INVALID_ARGUMENT')
})

it('[ERA011] tombstoned memories and conversations are in it unless they are left out', async () => {
  const keys = async (include_tombstoned: boolean) => {
    const told = await exported({ include_tombstoned })
    return [
      told.memory.rows.some((row) => row['memory_key'] === 'gone'),
      told.conversation_threads.rows.some((row) => row['thread_id'] === 'th-gone'),
    ]
  }
  expect(await keys(true)).toEqual([true, true])
  expect(await keys(false)).toEqual([false, false])
  expect((await exported()).memory.rows.find((row) => row['memory_key'] === 'gone')?.['tombstoned_at']).toMatch(/Z$/)
})

it('[ERA017] [ERA018] [ERA019] [CFG029] conversations end with the message that crosses the budget, whole; threads have none', async () => {
  const { conversations, conversation_threads } = await exported({ include_tombstoned: false })
  const texts = conversations.rows.map((row) => textOf(row, 'content'))
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  expect(bytes).toBeGreaterThanOrEqual(60)
  expect(bytes - Buffer.byteLength(texts.at(-1) ?? '')).toBeLessThan(60)
  expect(texts.at(-1)).toMatch(/^(one|two|three) x{30}$/)
  expect(conversations.truncated).toBe(true)
  expect(conversations.rows[0]).toMatchObject({
    identity: { org: ORG, namespace: 'chat', user_id: USER },
    role: 'user',
    sensitivity: expect.any(String) as string,
  })
  const times = conversations.rows.map((row) => textOf(row, 'at'))
  expect(times).toEqual(times.toSorted())
  const long = conversation_threads.rows.find((row) => row['thread_id'] === 'th-long')
  expect(long).toMatchObject({ title: 'Long', sensitivity: 'medium', metadata: { blob: 'y'.repeat(5000) }, identity: { user_id: USER } })
})

it('[ERA020] requests are told newest first, with keys and never a value', async () => {
  const { rows } = (await exported()).agent_events
  expect(rows.length).toBeGreaterThan(5)
  const times = rows.map((row) => textOf(row, 'at'))
  expect(times).toEqual(times.toSorted().toReversed())
  expect(JSON.stringify(rows, (_key, value: unknown) => (typeof value === 'bigint' ? value.toString() : value))).not.toContain('hunter2')
})

it('[ERA005] twice answers the same and leaves an audit row each; nothing in scope is six empty sections', async () => {
  const audits = async () =>
    (await sql<{ n: number }>`SELECT count(*)::int AS n FROM loom.audit WHERE op = 'erasure.export'`.execute(loom.database.reader)).rows[0]
      ?.n ?? 0
  const before = await audits()
  const [first, second] = [await exported(CHAT), await exported(CHAT)]
  expect({ ...second.counts, agent_events: 0, audit_log: 0 }).toEqual({ ...first.counts, agent_events: 0, audit_log: 0 })
  expect(await audits()).toBe(before + 2)
  const none = await exported({ scope_value: 'nobody-at-all' })
  expect(Object.values(none.counts)).toEqual([0, 0, 0, 0, 0, 0])
  const again = { ...ADMIN, idempotencyKey: 'same' }
  expect((await exported({}, again)).counts.memory).toBe((await exported({}, again)).counts.memory)
})

it('rows that an erasure stamped are in no export', async () => {
  await loom.call('memory.set', { ...at('chat', 'u-gone'), memory_key: 'x', value: 'Erased soon.' }, ADMIN)
  await loom.call('erasure.request', { org: ORG, scope_type: 'user_id', scope_value: 'u-gone', requester: 'dpo' }, ADMIN)
  expect((await exported({ scope_value: 'u-gone' })).counts).toMatchObject({ memory: 0, agent_events: 0, conversations: 0 })
})
