import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

type Fields = CallInputOf<'memory.record.write'>['fields']

let loom: TestEngine
let now = Date.parse('2026-11-30T12:00:00Z')
const changes: unknown[] = []
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS, clock: () => now })
  loom.engine.on((event) => void changes.push(event))
  await register('ticket', [
    { name: 'number', type: 'string', identity: true, required: true },
    { name: 'status', type: 'string', required: true, enum_values: ['open', 'waiting', 'closed'] },
    { name: 'amount', type: 'number', min_value: 0, max_value: 100 },
    { name: 'note', type: 'string' },
  ])
  await register('person', [
    { name: 'full_name', type: 'string', identity: true },
    { name: 'age', type: 'integer' },
  ])
  await register('free', [{ name: 'text', type: 'string' }])
})
afterAll(() => loom.close())

const register = (schema: string, fields: CallInputOf<'memory_schema.register'>['fields']) =>
  loom.call('memory_schema.register', { schema, fields })
const write = (schema: string, fields: Fields, more: object = {}) => loom.call('memory.record.write', { schema, fields, ...more })
const get = (schema: string, record_key: string, more: object = {}) => loom.call('memory.record.get', { schema, record_key, ...more })
const query = async (schema: string, more: object = {}) => (await loom.call('memory.record.query', { schema, ...more })).records
const rules = async (call: Promise<unknown>) =>
  ((await refused(call, 'SCHEMA_VIOLATION')).fields['violations'] as { field: string; rule: string }[]).map(
    ({ field, rule }) => `${field} ${rule}`,
  )
const stored = async () =>
  (await sql<{ n: number }>`SELECT count(*)::int AS n FROM loom.memory_record_version`.execute(loom.database.reader)).rows[0]?.n

describe('memory.record.write', () => {
  it('[REC001] writes a row of exact fields, which is found by them', async () => {
    const made = await write('ticket', { number: 'INV-1', status: 'open', amount: 99.5 })
    expect(made).toMatchObject({ status: 'active', created: true, noop: false, changed: ['number', 'status', 'amount'], dry_run: false })
    expect(made.version_text).toBe(made.version.toString())
    const [found] = await query('ticket', { where: { amount: 99.5 } })
    expect(found).toMatchObject({ record_id: made.record_id, record_key: 'ticket/inv1', schema_version: 1, agent: 'default', user_id: '-' })
    expect(found?.fields).toEqual({
      number: { state: 'value', value: 'INV-1' },
      status: { state: 'value', value: 'open' },
      amount: { state: 'value', value: 99.5 },
      note: { state: 'unknown' },
    })
  })

  it('[REC021] derives the key, says so, and takes a given one', async () => {
    expect(await write('person', { full_name: 'The Ada Lovelace' })).toMatchObject({
      record_key: 'person/ada lovelace',
      key_source: 'identity',
    })
    expect(await write('free', { text: 'x' }, { record_key: 'free/7' })).toMatchObject({ record_key: 'free/7', key_source: 'given' })
    expect(await refused(write('free', { text: 'x' }), 'MISSING_IDENTITY_FIELD')).toMatchObject({ fields: { field: 'record_key' } })
    expect(await refused(write('person', { age: 3 }), 'MISSING_IDENTITY_FIELD')).toMatchObject({ fields: { field: 'fields.full_name' } })
    await refused(write('person', { full_name: { state: 'unknown' } }), 'MISSING_IDENTITY_FIELD')
  })

  it('[REC022] lands two writes of one thing on one record, whichever agent writes', async () => {
    await write('ticket', { number: 'AB/2024', status: 'open' }, { agent: 'one' })
    const again = await write('ticket', { number: 'ab 2024', status: 'closed' }, { agent: 'two' })
    expect(again).toMatchObject({ created: false, changed: ['number', 'status'] })
    const live = await query('ticket', { where: { $record_key: 'ticket/ab2024' } })
    expect(live).toMatchObject([{ agent: 'two', fields: { status: { value: 'closed' } } }])
    // Another user's is another record.
    expect(await write('ticket', { number: 'AB2024', status: 'open' }, { user_id: 'u1' })).toMatchObject({ created: true })
    expect(await refused(get('ticket', 'ticket/ab2024'), 'AMBIGUOUS_KEY')).toMatchObject({
      fields: { candidates: [{ user_id: '-' }, { user_id: 'u1' }] },
    })
    expect(await get('ticket', 'ticket/ab2024', { user_id: 'u1' })).toMatchObject({ found: true, user_id: 'u1' })
  })

  it.each(['name', 'title', 'label', 'full_name', 'job_title', 'shelf_label'])(
    '[REC023] keys a field called %s on its words',
    async (name) => {
      const schema = `by_${name}`
      await register(schema, [{ name, type: 'string', identity: true }])
      expect(await write(schema, { [name]: "The Café's Guide" })).toMatchObject({ record_key: `${schema}/cafe guide` })
    },
  )

  it('[REC024][REC025][REC026] makes one record of the spellings of a name, and two of two names', async () => {
    const keyOf = async (full_name: string) => (await write('person', { full_name })).record_key
    expect([await keyOf('ACME'), await keyOf('Acme’s'), await keyOf('the acme')]).toEqual(Array(3).fill('person/acme'))
    expect(await keyOf('Café')).toBe(await keyOf('CAFE'))
    expect(await keyOf('かぎ')).toBe(await keyOf('かき'))
    expect(await keyOf('ก่า')).toBe(await keyOf('กา'))
    expect(await keyOf('कि')).not.toBe(await keyOf('का'))
  })

  it('[REC027][REC032] refuses what leaves no key', async () => {
    for (const full_name of ['The -_', 'a', "'s", ''])
      expect(await refused(write('person', { full_name }), 'MISSING_IDENTITY_FIELD')).toMatchObject({
        fields: { field: 'fields.full_name' },
      })
    expect(await write('person', { full_name: '★' })).toMatchObject({ record_key: 'person/★' })
    for (const number of ['---', '★', '\u0301'])
      expect(await refused(write('ticket', { number, status: 'open' }), 'MISSING_IDENTITY_FIELD')).toMatchObject({
        fields: { field: 'fields.number' },
      })
  })

  it('[REC028][REC029][REC030][REC031] keys any other field on a-z and 0-9, else on all its letters and marks', async () => {
    const keyOf = async (number: string) => (await write('ticket', { number, status: 'open' })).record_key
    expect([await keyOf('INV-2024/001'), await keyOf('inv 2024 001')]).toEqual(Array(2).fill('ticket/inv2024001'))
    expect([await keyOf('Договор'), await keyOf('ДОГОВОР')]).toEqual(Array(2).fill('ticket/договор'))
    expect(await keyOf('かぎ')).not.toBe(await keyOf('かき'))
    expect(await keyOf('مُحَمَّد')).not.toBe(await keyOf('محمد'))
    expect([await keyOf('30 дней'), await keyOf('30 суток')]).toEqual(Array(2).fill('ticket/30'))
    expect([await keyOf('№'), await keyOf('no'), await keyOf('℃')]).toEqual(['ticket/no', 'ticket/no', 'ticket/c'])
  })

  it('[REC009] writes one record a call, and nothing of one that breaks a constraint', async () => {
    const before = await stored()
    expect(await rules(write('ticket', { number: 'V-1', status: 'lost', amount: 101, shade: 'red', note: 5 }))).toEqual([
      'shade unknown_field',
      'note type',
    ])
    expect(await rules(write('ticket', { number: 'V-1', status: 'lost', amount: 101 }))).toEqual(['status enum_values', 'amount max_value'])
    expect(await get('ticket', 'ticket/v1')).toEqual({ found: false })
    expect(await stored()).toBe(before)
    await write('ticket', { number: 'V-1', status: 'open' })
    expect(await stored()).toBe((before ?? 0) + 1)
  })

  it('[REC018] needs what is required, of the values that are listed', async () => {
    expect(await rules(write('ticket', { number: 'R-1' }))).toEqual(['status required'])
    for (const state of ['unknown', 'absent', 'rejected'])
      expect(await rules(write('ticket', { number: 'R-1', status: { state } }))).toEqual(['status required'])
    expect(await rules(write('ticket', { number: 'R-1', status: 'Open' }))).toEqual(['status enum_values'])
  })

  it('[REC020] holds both sides of each bound', async () => {
    await register('bound', [
      { name: 'id', type: 'string', identity: true },
      { name: 'code', type: 'string', pattern: '^[A-Z]{2}-\\d+$', min_length: 4, max_length: 6 },
      { name: 'rate', type: 'number', min_value: -1.5, max_value: 1.5 },
      { name: 'count', type: 'integer', min_value: 1, max_value: 3 },
      { name: 'accents', type: 'string', max_length: 2 },
    ])
    const put = (fields: Fields) => write('bound', { id: 'x', ...fields })
    const kept: readonly Fields[] = [
      { code: 'AB-1' },
      { code: 'AB-123' },
      { rate: -1.5 },
      { rate: 1.5 },
      { count: 1 },
      { count: 3 },
      { accents: 'e\u0301🦊' },
    ]
    for (const fields of kept) expect(await put(fields)).toMatchObject({ record_key: 'bound/x' })
    expect(await rules(put({ code: 'ab-12' }))).toEqual(['code pattern'])
    expect(await rules(put({ code: 'A' }))).toEqual(['code min_length', 'code pattern'])
    expect(await rules(put({ code: 'AB-1234' }))).toEqual(['code max_length'])
    expect(await rules(put({ rate: -1.6, count: 0 }))).toEqual(['rate min_value', 'count min_value'])
    expect(await rules(put({ rate: 1.6, count: 4 }))).toEqual(['rate max_value', 'count max_value'])
    expect(await rules(put({ accents: 'abc' }))).toEqual(['accents max_length'])
  })

  it('converts nothing', async () => {
    expect(await rules(write('ticket', { number: 5, status: true, amount: '5' }))).toEqual(['number type', 'status type', 'amount type'])
    expect(await rules(write('person', { full_name: 'X', age: 1.5 }))).toEqual(['age type'])
    expect(await rules(write('person', { full_name: 'X', age: 2 ** 53 }))).toEqual(['age type'])
    expect(await write('person', { full_name: 'Five', age: 5.0 })).toMatchObject({ created: true })
    const { fields } = await refused(write('person', { full_name: 'X', age: null }), 'SCHEMA_VIOLATION')
    expect(JSON.stringify(fields['violations'])).toMatch(/unknown.*absent/)
  })

  it('[REC033] gives each value its state', async () => {
    const states = { number: 'S-1', status: 'open', amount: { state: 'rejected', value: 12 }, note: { state: 'absent' } } as const
    await write('ticket', states)
    expect((await get('ticket', 'ticket/s1')).fields).toMatchObject({
      number: { state: 'value', value: 'S-1' },
      amount: { state: 'rejected', value: 12 },
      note: { state: 'absent' },
    })
    await write('ticket', { number: 'S-1', amount: { state: 'unknown' }, note: { state: 'rejected' } })
    expect((await get('ticket', 'ticket/s1')).fields).toMatchObject({ amount: { state: 'unknown' }, note: { state: 'rejected' } })
    for (const broken of [
      { state: 'gone' },
      { state: 'value' },
      { state: 'unknown', value: 1 },
      { state: 'rejected', value: 'x' },
      { value: 1 },
      [],
      { state: 'value', value: 1, x: 1 },
    ])
      expect([broken, await rules(write('ticket', { number: 'S-1', amount: broken as never }))]).toEqual([broken, ['amount type']])
  })

  it('[REC035] is no memory: no read of memories finds it, and no event of theirs tells of it', async () => {
    await write('ticket', { number: 'HIDDEN-1', status: 'open', note: 'The zeppelin is moored.' })
    const before = changes.length
    await write('ticket', { number: 'HIDDEN-1', note: 'The zeppelin is away.' })
    expect(await loom.call('memory.get', { memory_key: 'ticket/hidden1' })).toMatchObject({ found: false })
    expect((await loom.call('memory.search', { query: 'zeppelin' })).results).toEqual([])
    expect(await loom.call('memory.list', { with_total: true })).toMatchObject({ rows: [], total: 0 })
    expect((await loom.call('memory.history', { memory_key: 'ticket/hidden1' })).rows ?? []).toEqual([])
    expect(changes.slice(before).filter((event) => (event as { type: string }).type === 'memory.changed')).toEqual([])
    const outbox = await sql<{ n: number }>`SELECT count(*)::int AS n FROM loom.memory_webhook_outbox`.execute(loom.database.reader)
    expect(outbox.rows).toEqual([{ n: 0 }])
  })
})

describe('what a write finds', () => {
  it('keeps fields that it leaves out, and writes nothing that says the same', async () => {
    const first = await write('ticket', { number: 'K-1', status: 'open', note: 'n' })
    now += 1000
    const same = await write('ticket', { number: 'K-1', status: 'open' })
    expect(same).toMatchObject({ noop: true, changed: [], version: first.version, content_sha256: first.content_sha256 })
    const next = await write('ticket', { number: 'K-1', amount: 3 })
    expect(next.version > first.version).toBe(true)
    expect((await get('ticket', 'ticket/k1')).fields).toMatchObject({ note: { value: 'n' }, amount: { value: 3 } })
    const { rows } = await loom.call('audit.list', { op: 'memory.record.write', limit: 2 })
    expect(rows[0]).toMatchObject({ subject: 'record:default/-/-/ticket/k1', memory_key: '', content_sha256: next.content_sha256 })
  })

  it('holds to a precondition', async () => {
    const { content_sha256 } = await write('ticket', { number: 'P-1', status: 'open' })
    expect(
      await refused(write('ticket', { number: 'P-1', status: 'closed' }, { if_match_sha256: 'f'.repeat(64) }), 'PRECONDITION_FAILED'),
    ).toMatchObject({
      fields: { current_sha256: content_sha256 },
    })
    expect(await write('ticket', { number: 'P-1', status: 'closed' }, { if_match_sha256: content_sha256 })).toMatchObject({
      changed: ['status'],
    })
  })

  it('checks all of a dry run and stores none', async () => {
    const before = await stored()
    expect(await write('ticket', { number: 'D-1', status: 'open' }, { dry_run: true })).toMatchObject({
      dry_run: true,
      created: true,
      version: 0n,
    })
    expect(await rules(write('ticket', { number: 'D-1' }, { dry_run: true }))).toEqual(['status required'])
    expect(await stored()).toBe(before)
  })

  it('stops at a blocked text, and counts the hit on a dry run too', async () => {
    await loom.call('blacklist.add', { pattern: 'Voldemort', pattern_type: 'substring' })
    for (const dry_run of [true, false])
      await refused(write('ticket', { number: 'B-1', status: 'open', note: 'ask voldemort' }, { dry_run }), 'BLACKLISTED')
    expect((await loom.call('blacklist.list', {})).patterns.map((row) => row.hits)).toEqual([2])
  })

  it('stays one record when its name changes, and says when another has that name', async () => {
    const made = await write('person', { full_name: 'Ada King' })
    const renamed = await write('person', { full_name: 'Countess Lovelace' }, { record_key: made.record_key })
    expect(renamed).toMatchObject({ record_id: made.record_id, created: false, key_source: 'given', advisories: [] })
    await write('person', { full_name: 'Ada Byron' })
    expect(await write('person', { full_name: 'ADA BYRON' }, { record_key: made.record_key })).toMatchObject({
      advisories: ['identity_elsewhere'],
    })
    expect(await get('person', made.record_key)).toMatchObject({ key_source: 'identity' })
  })

  it('starts anew on a key that was deleted', async () => {
    await write('ticket', { number: 'T-1', status: 'open', note: 'old' })
    const key = { schema: 'ticket', record_key: 'ticket/t1' }
    expect(await loom.call('memory.record.delete', { ...key, reason: 'x' })).toMatchObject({ found: true, tombstoned: true })
    expect(await loom.call('memory.record.delete', key)).toMatchObject({ found: false, version: 0n })
    expect(await get('ticket', 'ticket/t1')).toEqual({ found: false })
    expect(await rules(write('ticket', { number: 'T-1', note: 'new' }))).toEqual(['status required'])
    expect(await write('ticket', { number: 'T-1', status: 'open' })).toMatchObject({ created: true })
    expect((await get('ticket', 'ticket/t1')).fields?.['note']).toEqual({ state: 'unknown' })
    await refused(loom.call('memory.record.delete', { ...key, if_match_sha256: 'f'.repeat(64) }), 'PRECONDITION_FAILED')
    await refused(loom.call('memory.record.delete', { schema: 'none', record_key: 'x' }), 'NOT_FOUND')
  })

  it('takes any text, and refuses what no store can hold', async () => {
    const note = '東京\u2028\u202e"\'\\%_$1 🦊 ' + 'x'.repeat(16_000)
    await write('ticket', { number: 'U-1', status: 'open', note })
    expect((await get('ticket', 'ticket/u1')).fields?.['note']).toEqual({ state: 'value', value: note })
    expect(await rules(write('ticket', { number: 'U-1', note: 'x'.repeat(16_385) }))).toEqual(['note max_length'])
    for (const bad of ['a\0b', 'a\ud800b']) await refused(write('ticket', { number: 'U-1', note: bad }), 'INVALID_ARGUMENT')
    await refused(write('ticket', { number: 'U-1', note: 'x' }, { record_key: 'a\nb' }), 'INVALID_ARGUMENT')
    const names = JSON.parse('{"__proto__": 1, "constructor": 2, "number": "U-1"}') as Fields
    expect(await rules(write('ticket', names))).toEqual(['constructor unknown_field'])
  })

  it('makes one record of the same write twice at once', async () => {
    const both = await Promise.all([1, 2].map(() => write('ticket', { number: 'TWICE', status: 'open' })))
    expect(both.map((one) => one.noop).toSorted((a, b) => Number(a) - Number(b))).toEqual([false, true])
    expect(both[0]?.version).toBe(both[1]?.version)
  })
})
