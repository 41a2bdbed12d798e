import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

let loom: TestEngine
let now = Date.parse('2026-11-30T12:00:00.000Z')
const holder = (more: Partial<Claims> = {}): { claims: Claims } => ({
  claims: { ...localClaims('human', 'ada'), org: 'acme', grants: { crm: 'admin' }, ...more },
})
const viewer = holder({ grants: { crm: 'viewer' } })
const write = (record_key: string, fields: CallInputOf<'memory.record.write'>['fields'], more: object = {}, who = holder()) => {
  now += 1000
  return loom.call('memory.record.write', { schema: 'deal', record_key, fields, agent: 'a', ...more }, who)
}
const remove = (record_key: string) => {
  now += 1000
  return loom.call('memory.record.delete', { schema: 'deal', record_key, agent: 'a' }, holder())
}
const history = (record_key: string, more: object = {}, who = viewer) =>
  loom.call('memory.record.history', { schema: 'deal', record_key, ...more }, who)
const conflicts = (more: object = {}, who = viewer) => loom.call('memory.record.conflicts', { schema: 'deal', ...more }, who)
const value = (of: string | number) => ({ state: 'value', value: of })

beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, clock: () => now })
  const fields = [
    { name: 'stage', type: 'string' as const },
    { name: 'amount', type: 'number' as const },
  ]
  await loom.call('memory_schema.register', { schema: 'deal', fields }, holder())
})
afterAll(() => loom.close())

describe('memory.record.history', () => {
  it('[REC013] gives every version with its status, the latest first', async () => {
    for (const amount of [1, 2, 3]) await write('h', { amount })
    const { found, versions } = await history('h')
    expect(found).toBe(true)
    expect(versions.map((row) => [row.fields['amount']?.value, row.status])).toEqual([
      [3, 'active'],
      [2, 'superseded'],
      [1, 'superseded'],
    ])
    expect(new Set(versions.map((row) => row.record_id)).size).toBe(1)
    expect(new Set(versions.map((row) => row.first_created_at)).size).toBe(1)
    await remove('h')
    await write('h', { stage: 'back' })
    expect((await history('h')).versions.map((row) => row.status)).toEqual([
      'active',
      'tombstoned',
      'superseded',
      'superseded',
      'superseded',
    ])
    expect(await history('none')).toEqual({ found: false, versions: [], next_cursor: null })
  })

  it('pages, and stays within a bound', async () => {
    const whole = (await history('h')).versions
    const first = await history('h', { limit: 2 })
    const rest = await history('h', { limit: 50, cursor: first.next_cursor })
    expect([...first.versions, ...rest.versions]).toEqual(whole)
    await refused(history('other', { cursor: first.next_cursor }), 'INVALID_CURSOR')
    await write('s', { stage: 'mine' }, { session_id: 's1' })
    await write('s', { stage: 'theirs' }, { session_id: 's2' })
    const bound = holder({ grants: { crm: 'viewer' }, own_session: true, session_id: 's1' })
    expect((await history('s', {}, bound)).versions.map((row) => row.fields['stage']?.value)).toEqual(['mine'])
    expect((await conflicts({ record_key: 's' }, bound)).changes).toEqual([])
    await write('s', { stage: 'u' }, { user_id: 'u1' })
    await refused(history('s'), 'AMBIGUOUS_KEY')
    expect((await history('s', { user_id: 'u1' })).versions).toHaveLength(1)
  })
})

describe('memory.record.conflicts', () => {
  it('[REC014] lists the fields that changed, with both values', async () => {
    await write('c', { stage: 'open', amount: 1 })
    await write('c', { stage: 'closed' }, { run_id: 'r2' }, holder({ subject: 'bob' }))
    await write('c', { amount: { state: 'absent' } })
    const { changes } = await conflicts({ record_key: 'c' })
    expect(changes).toMatchObject([
      { field: 'amount', from: value(1), to: { state: 'absent' }, from_actor: 'human:bob', to_actor: 'human:ada' },
      {
        field: 'stage',
        from: value('open'),
        to: value('closed'),
        from_actor: 'human:ada',
        to_actor: 'human:bob',
        run_id: 'r2',
        record_key: 'c',
      },
    ])
    expect(changes[0]?.from_version).toBe(changes[1]?.to_version)
    expect((await conflicts({ record_key: 'c', values_only: true })).changes.map((one) => one.field)).toEqual(['stage'])
    expect((await conflicts({ record_key: 'c', field: 'amount' })).changes.map((one) => one.field)).toEqual(['amount'])
    expect((await conflicts({ record_key: 'c', since: changes[0]?.at })).changes).toHaveLength(1)
    expect((await conflicts({ record_key: 'never' })).changes).toEqual([])
    expect((await refused(conflicts({ field: 'stge' }), 'INVALID_ARGUMENT')).fields).toMatchObject({ did_you_mean: { stge: 'stage' } })
    await refused(conflicts({ field: '$agent' }), 'INVALID_ARGUMENT')
  })

  it('counts neither a tombstone nor a new beginning as a change', async () => {
    await write('t', { stage: 'one' })
    await remove('t')
    await write('t', { stage: 'two' })
    expect((await conflicts({ record_key: 't' })).changes).toEqual([])
  })

  it('pages over all records without a gap', async () => {
    for (const at of [1, 2, 3]) await write('p', { stage: `s${at}`, amount: at })
    const whole = (await conflicts()).changes
    expect(whole.length).toBeGreaterThan(5)
    const paged = []
    for (let cursor: string | undefined; ;) {
      const page = await conflicts({ limit: 2, ...(cursor && { cursor }) })
      paged.push(...page.changes)
      if (page.next_cursor === null) break
      cursor = page.next_cursor
    }
    expect(paged).toEqual(whole)
  })
})
