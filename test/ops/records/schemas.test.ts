import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

type Def = CallInputOf<'memory_schema.register'>['fields'][number]

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    config: { rates: UNLIMITED },
  })
})
afterAll(() => loom.close())

const holder = (role: 'viewer' | 'writer' | 'admin'): { claims: Claims } => ({
  claims: { ...localClaims('human', role), org: 'acme', grants: { crm: role } },
})
const [viewer, writer, admin] = [holder('viewer'), holder('writer'), holder('admin')]
const id: Def = { name: 'id', type: 'string', identity: true }
const register = (schema: string, fields: Def[] = [id], who = admin, more: object = {}) =>
  loom.call('memory_schema.register', { schema, fields, ...more }, who)
const propose = (schema: string, fields: Def[] = [id], more: object = {}) =>
  loom.call('memory_schema.propose', { schema, fields, ...more }, writer)
const approve = (schema: string, decision: 'approve' | 'reject', more: object = {}, who = admin) =>
  loom.call('memory_schema.approve', { schema, decision, ...more }, who)
const write = (schema: string, fields: Record<string, never> | object) =>
  loom.call('memory.record.write', { schema, fields: fields as Record<string, string>, agent: 'bot' }, writer)
const list = async (more: object = {}) => (await loom.call('memory_schema.list', more, viewer)).schemas
const refusal = async (...call: Parameters<typeof refused>) => (await refused(...call)).fields
const faults = (fields: unknown[]) => refusal(register('bad', fields as Def[]), 'INVALID_ARGUMENT')

describe('memory_schema.register', () => {
  it('[REC002] is for admins', async () => {
    expect(await refusal(register('role', [id], writer), 'FORBIDDEN')).toMatchObject({ role_needed: 'admin' })
    expect(await list({ schema: 'role' })).toEqual([])
    expect(await register('role')).toEqual({ schema: 'role', version: 1, status: 'active', created: true })
  })

  it('[REC004] takes 1 to 64 fields', async () => {
    const many = (count: number): Def[] => Array.from({ length: count }, (_, at) => ({ name: `f${at}`, type: 'string' }))
    expect(await register('wide', many(64))).toMatchObject({ created: true })
    expect(await faults(many(65))).toMatchObject({ field: 'fields' })
    expect(await faults([])).toMatchObject({ field: 'fields' })
  })

  it.each(['string', 'number', 'integer', 'boolean'] as const)('[REC017] takes fields of type %s', async (type) => {
    expect(await register(`of_${type}`, [{ name: 'x', type }])).toMatchObject({ status: 'active' })
  })

  it('[REC017] and of no other', async () => {
    for (const type of ['date', 'String', '', null]) expect(await faults([{ name: 'x', type }])).toMatchObject({ field: 'fields[0].type' })
  })

  it('[REC019] knows identity fields', async () => {
    await register('identity', [id, { name: 'note', type: 'string' }])
    expect((await list({ schema: 'identity' }))[0]?.fields.map((field) => field.identity)).toEqual([true, false])
    expect(await write('identity', { id: 'A 1' })).toMatchObject({ record_key: 'identity/a1', key_source: 'identity' })
  })

  it('writes nothing when it says the same again', async () => {
    expect(await register('twice')).toMatchObject({ version: 1, created: true })
    expect(await register('twice', [{ ...id, required: false }])).toMatchObject({ version: 1, created: false })
    expect(await register('twice', [id, { name: 'more', type: 'string' }])).toMatchObject({ version: 2, created: true })
    expect(await list({ schema: 'twice', status: ['active', 'superseded'] })).toMatchObject([
      { version: 2, status: 'active' },
      { version: 1, status: 'superseded' },
    ])
  })

  it('keeps type and identity of what has records', async () => {
    const note: Def = { name: 'note', type: 'string' }
    await register('kept', [id, note])
    expect(await register('kept', [id, { name: 'note', type: 'number' }])).toMatchObject({ version: 2 })
    await write('kept', { id: '1', note: 5 })
    expect(await refusal(register('kept', [id, note]), 'ALREADY_EXISTS')).toMatchObject({ field: 'note' })
    expect(await refusal(register('kept', [{ ...id, identity: false }]), 'ALREADY_EXISTS')).toMatchObject({ field: 'id' })
    expect(await refusal(register('kept', [note, { name: 'x', type: 'string', identity: true }, id]), 'ALREADY_EXISTS')).toMatchObject({
      field: 'note',
    })
    expect(await register('kept', [id])).toMatchObject({ version: 3 })
    // It comes back as something else: what was stored under its name stays out of sight.
    expect(await register('kept', [id, note])).toMatchObject({ version: 4 })
    const got = await loom.call('memory.record.get', { schema: 'kept', record_key: 'kept/1' }, viewer)
    expect(got.fields).toEqual({ id: { state: 'value', value: '1' }, note: { state: 'unknown' } })
  })

  it.each([
    [[id, { ...id }], 'fields[1].name'],
    [[{ name: 'and', type: 'string' }], 'fields[0].name'],
    [[{ name: 'Id', type: 'string' }], 'fields[0].name'],
    [[{ name: '__proto__', type: 'string' }], 'fields[0].name'],
    [[id, { name: 'n', type: 'number', pattern: 'x' }], 'fields[1].pattern'],
    [[{ name: 'n', type: 'string', min_value: 1 }], 'fields[0].min_value'],
    [[{ name: 'n', type: 'number', max_length: 1 }], 'fields[0].max_length'],
    [[{ name: 'n', type: 'boolean', enum_values: [true] }], 'fields[0].enum_values'],
    [[{ name: 'n', type: 'string', min_length: 3, max_length: 2 }], 'fields[0].min_length'],
    [[{ name: 'n', type: 'integer', min_value: 3, max_value: 2 }], 'fields[0].min_value'],
    [[{ name: 'n', type: 'integer', enum_values: [1, 1.5] }], 'fields[0].enum_values[1]'],
    [[{ name: 'n', type: 'string', enum_values: ['\u00e9', 'e\u0301'] }], 'fields[0].enum_values[1]'],
    [[{ name: 'n', type: 'string', enum_values: ['ok', 'long'], max_length: 3 }], 'fields[0].enum_values[1]'],
    [[{ name: 'n', type: 'string', enum_values: [] }], 'fields[0].enum_values'],
    [[{ name: 'n', type: 'string', pattern: '(?=x)' }], 'fields[0].pattern'],
    [[{ name: 'n', type: 'string', pattern: '[' }], 'fields[0].pattern'],
    [[{ name: 'n', type: 'string', unique: true }], 'fields[0].unique'],
  ])('refuses %j at %s', async (fields, field) => {
    expect(await faults(fields)).toMatchObject({ field })
  })

  it('refuses a pattern that could hold the engine up, and bounds what the rest may cost', async () => {
    for (const pattern of ['((a?){500}){2}b$', '(x{0,999})x{0,999}1$', '(\\p{L}{1,50}){1,20}z$', '((a{100}){100}){10}'])
      expect(await faults([{ name: 'n', type: 'string', pattern }])).toMatchObject({ field: 'fields[0].pattern' })
    const dear = (count: number): Def[] =>
      Array.from({ length: count }, (_, at) => ({ name: `f${at}`, type: 'string', pattern: `(a|b)*a(a|b){150}${at}$` }))
    expect(await faults(dear(64))).toMatchObject({ field: expect.stringMatching(/^fields\[\d+\]\.pattern$/) })
    await register('dear', dear(8))
    const text = `${'ab'.repeat(8190)}c7`
    const began = performance.now()
    const fields = Object.fromEntries(Array.from({ length: 8 }, (_, at) => [`f${at}`, text]))
    await refused(loom.call('memory.record.write', { schema: 'dear', record_key: 'd', fields, agent: 'bot' }, writer), 'SCHEMA_VIOLATION')
    expect(performance.now() - began).toBeLessThan(3000)
  })
})

describe('proposals', () => {
  it('[REC005] are stored as proposed, and rule nothing until an admin accepts them', async () => {
    expect(await propose('lead', [id], { reason: 'For sales.' })).toEqual({ schema: 'lead', version: 1, status: 'proposed', created: true })
    expect(await propose('lead', [id], { reason: 'Again.' })).toMatchObject({ version: 1, created: false })
    expect(await list({ schema: 'lead' })).toMatchObject([
      { status: 'proposed', reason: 'For sales.', actor: 'human:writer', decided_at: null, records: 0 },
    ])
    expect(await refusal(write('lead', { id: '1' }), 'NOT_FOUND')).toMatchObject({ proposed_version: 1 })
  })

  it('[REC006] are decided by admins alone', async () => {
    await propose('mine')
    expect(await refusal(approve('mine', 'approve', {}, writer), 'FORBIDDEN')).toMatchObject({ role_needed: 'admin' })
    expect(await list({ schema: 'mine' })).toMatchObject([{ status: 'proposed' }])
  })

  it('[REC007] become usable by approve, and not by reject; there is no other decision', async () => {
    await propose('deal')
    expect(await refusal(approve('deal', 'later' as 'approve'), 'INVALID_ARGUMENT')).toMatchObject({ field: 'decision' })
    expect(await approve('deal', 'reject')).toEqual({ schema: 'deal', version: 1, status: 'rejected', changed: true })
    await refused(write('deal', { id: '1' }), 'NOT_FOUND')
    expect(await approve('deal', 'reject', { version: 1 })).toMatchObject({ changed: false })
    await refused(approve('deal', 'approve'), 'NOT_FOUND')
    await refused(approve('deal', 'approve', { version: 1 }), 'NOT_FOUND')
    await propose('deal')
    expect(await approve('deal', 'approve')).toEqual({ schema: 'deal', version: 2, status: 'active', changed: true })
    expect(await approve('deal', 'approve', { version: 2 })).toMatchObject({ changed: false })
    expect(await write('deal', { id: '1' })).toMatchObject({ created: true })
    await refused(approve('never', 'approve'), 'NOT_FOUND')
  })

  it('stay pending beside a version that is registered, and must still fit when they are accepted', async () => {
    await propose('fit', [{ name: 'id', type: 'number', identity: true }])
    expect(await register('fit')).toMatchObject({ version: 2 })
    expect((await list({ schema: 'fit' })).map((row) => row.status)).toEqual(['active', 'proposed'])
    await write('fit', { id: 'a' })
    expect(await refusal(approve('fit', 'approve'), 'ALREADY_EXISTS')).toMatchObject({ field: 'id' })
  })
})

describe('memory_schema.list', () => {
  it('[REC008] shows a viewer the schemas of the namespace', async () => {
    await register('listed', [id, { name: 'amount', type: 'number', min_value: 0 }], admin, { description: 'Things.' })
    await write('listed', { id: '1' })
    await write('listed', { id: '2' })
    expect(await list({ schema: 'listed' })).toEqual([
      {
        schema: 'listed',
        description: 'Things.',
        fields: [
          { ...id, description: '', required: false },
          { name: 'amount', type: 'number', min_value: 0, description: '', required: false, identity: false },
        ],
        version: 1,
        status: 'active',
        created_at: expect.any(String),
        actor: 'human:admin',
        decided_at: expect.any(String),
        decided_by: 'human:admin',
        reason: '',
        records: 2,
      },
    ])
    expect(await list({ schema: 'unheard_of' })).toEqual([])
    const names = (await list()).map((row) => row.schema)
    expect(names).toEqual([...names].sort())
  })

  it('pages without a gap, and refuses a foreign cursor', async () => {
    const whole = await list({ status: ['active', 'proposed', 'rejected', 'superseded'] })
    const paged = []
    for (let cursor: string | undefined; ;) {
      const page = await loom.call(
        'memory_schema.list',
        { status: ['active', 'proposed', 'rejected', 'superseded'], limit: 3, ...(cursor && { cursor }) },
        viewer,
      )
      paged.push(...page.schemas)
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(paged).toEqual(whole)
    await refused(loom.call('memory_schema.list', { cursor: 'bm9wZQ' }, viewer), 'INVALID_CURSOR')
  })
})
