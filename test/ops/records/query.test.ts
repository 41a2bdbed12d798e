import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

type Fields = CallInputOf<'memory.record.write'>['fields']

let loom: TestEngine
let now = Date.parse('2026-11-30T12:00:00.000Z')
const at: Record<string, string> = {}
const holder = (more: Partial<Claims> = {}): { claims: Claims } => ({
  claims: { ...localClaims('human', 'ada'), org: 'acme', grants: { crm: 'admin' }, ...more },
})
const viewer = holder({ grants: { crm: 'viewer' } })

const write = async (key: string, fields: Fields, more: object = {}) => {
  now += 1000
  at[key] = new Date(now).toISOString()
  return loom.call('memory.record.write', { schema: 'deal', record_key: key, fields, agent: 'a', ...more }, holder())
}
const query = (more: object = {}) => loom.call('memory.record.query', { schema: 'deal', ...more }, viewer)
const keys = async (where: unknown, more: object = {}) =>
  (await query({ where, order_by: [{ by: '$record_key' }], ...more })).records.map((row) => row.record_key)
const fault = async (where: unknown) => (await refused(query({ where }), 'INVALID_ARGUMENT')).fields

beforeAll(async () => {
  loom = await openTestEngine({
    host: 'server',
    mode: 'multi',
    models: NO_MODELS,
    clock: () => now,
    config: { rates: UNLIMITED },
  })
  await loom.call(
    'memory_schema.register',
    {
      schema: 'deal',
      fields: [
        { name: 'stage', type: 'string' },
        { name: 'amount', type: 'number' },
        { name: 'seats', type: 'integer' },
        { name: 'hot', type: 'boolean' },
        { name: 'city', type: 'string' },
      ],
    },
    holder(),
  )
  await write('d1', { stage: 'open', amount: 10, seats: 1, hot: true, city: 'Zürich' }, { run_id: 'r1' })
  await write('d2', { stage: 'open', amount: 10.5, seats: 20, hot: false, city: 'zu\u0308rich-West' })
  await write('d3', { stage: 'closed', amount: -3, seats: 3, city: 'Straßburg' }, { agent: 'b', session_id: 's1' })
  await write('d4', { stage: 'Open', amount: 0.1, city: { state: 'absent' } }, { user_id: 'u1' })
  await write('d5', { amount: { state: 'rejected', value: 7 }, seats: { state: 'unknown' }, city: 'a%b_c\\d' })
})
afterAll(() => loom.close())

describe('memory.record.query', () => {
  it('[REC010][REC012] filters by values and typed predicates, and gives each row its status', async () => {
    expect(await keys({ stage: 'open', amount: { gt: 10 } })).toEqual(['d2'])
    expect(await keys({ amount: { gte: 0, lt: 10.5 } })).toEqual(['d1', 'd4'])
    expect((await query({ where: { hot: true } })).records).toMatchObject([{ record_key: 'd1', status: 'active' }])
  })

  it('[REC003] reads types, not text: 10.5 is over 10 and 9, and one tenth is one tenth', async () => {
    expect(await keys({ amount: { gt: 9 } })).toEqual(['d1', 'd2'])
    expect(await keys({ amount: 0.1 })).toEqual(['d4'])
    expect(await keys({ amount: { in: [10, -3] } })).toEqual(['d1', 'd3'])
    expect(await keys({ seats: { lt: 10 } })).toEqual(['d1', 'd3'])
  })

  it.each([
    [{}, ['d1', 'd2', 'd3', 'd4', 'd5']],
    [{ stage: { eq: 'open' } }, ['d1', 'd2']],
    [{ stage: { ne: 'open' } }, ['d3', 'd4']],
    [{ not: { stage: 'open' } }, ['d3', 'd4', 'd5']],
    [{ stage: { lt: 'a' } }, ['d4']],
    [{ stage: { in: ['closed', 'Open'] } }, ['d3', 'd4']],
    [{ hot: { ne: true } }, ['d2']],
    [{ city: 'Zürich' }, ['d1']],
    [{ city: 'Zu\u0308rich' }, ['d1']],
    [{ city: { starts_with: 'ZÜRICH' } }, ['d1', 'd2']],
    [{ city: { contains: 'STRASSE'.slice(0, 4) } }, ['d3']],
    [{ city: { contains: 'strassb' } }, ['d3']],
    [{ city: { contains: '%b_' } }, ['d5']],
    [{ city: { contains: '\\' } }, ['d5']],
    [{ city: { contains: '_west' } }, []],
    [{ and: [{ stage: 'open' }, { or: [{ seats: { gt: 10 } }, { city: { state: 'absent' } }] }] }, ['d2']],
    [{ or: [{ amount: { state: ['rejected', 'unknown'] } }, { hot: true }] }, ['d1', 'd5']],
    [{ city: { state: 'absent' } }, ['d4']],
    [{ hot: { state: 'unknown' } }, ['d3', 'd4', 'd5']],
    [{ seats: { state: 'value' } }, ['d1', 'd2', 'd3']],
    [{ $agent: 'b' }, ['d3']],
    [{ $run_id: { starts_with: 'R' } }, ['d1']],
    [{ $record_key: { in: ['d1', 'nope'] } }, ['d1']],
    [{ $session_id: { ne: '-' } }, ['d3']],
  ])('answers %j', async (where, found) => {
    expect(await keys(where)).toEqual(found)
  })

  it('compares times', async () => {
    expect(await keys({ $created_at: { lte: at['d2'] } })).toEqual(['d1', 'd2'])
    expect(await keys({ $first_created_at: { eq: at['d3']?.replace('Z', '+00:00') } })).toEqual(['d3'])
  })

  it.each([
    [{ or: [{}, { amount: { gt: '5' } }] }, 'where.or[1].amount.gt'],
    [{ seats: true }, 'where.seats'],
    [{ hot: { lt: true } }, 'where.hot.lt'],
    [{ hot: { contains: 'x' } }, 'where.hot.contains'],
    [{ amount: null }, 'where.amount'],
    [{ amount: {} }, 'where.amount'],
    [{ amount: [1] }, 'where.amount'],
    [{ amount: { like: 'x' } }, 'where.amount.like'],
    [{ amount: { in: [] } }, 'where.amount.in'],
    [{ amount: { in: Array(201).fill(1) } }, 'where.amount.in'],
    [{ amount: { in: [1, 'x'] } }, 'where.amount.in[1]'],
    [{ amount: { state: 'gone' } }, 'where.amount.state'],
    [{ $agent: { state: 'value' } }, 'where.$agent.state'],
    [{ $created_at: { gt: 'yesterday' } }, 'where.$created_at.gt'],
    [{ $created_at: { contains: '2026' } }, 'where.$created_at.contains'],
    [{ and: [] }, 'where.and'],
    [{ and: {} }, 'where.and'],
    [{ not: [] }, 'where.not'],
    [{ or: Array.from({ length: 33 }, () => ({})) }, 'where.or'],
    [{ and: [{}], stage: 'open' }, 'where'],
    [[], 'where'],
    ['stage', 'where'],
    [{ $secret: 1 }, 'where.$secret'],
  ])('refuses %j at %s', async (where, field) => {
    expect(await fault(where)).toMatchObject({ field })
  })

  it('says what was meant', async () => {
    expect(await fault({ and: [{ amuont: 1 }] })).toMatchObject({ field: 'where.and[0].amuont', did_you_mean: { amuont: 'amount' } })
    expect((await refused(query({ order_by: [{ by: 'stge' }] }), 'INVALID_ARGUMENT')).fields).toMatchObject({
      field: 'order_by[0].by',
      did_you_mean: { stge: 'stage' },
    })
    await refused(loom.call('memory.record.query', { schema: 'deals' }, viewer), 'NOT_FOUND')
  })

  it('takes 8 levels and 64 comparisons, and no more', async () => {
    const nested = (levels: number): unknown => (levels === 1 ? { hot: true } : { not: nested(levels - 1) })
    expect(await keys(nested(7))).toEqual(['d1'])
    expect(await keys(nested(8))).toEqual(['d2', 'd3', 'd4', 'd5'])
    expect(await fault(nested(9))).toMatchObject({ field: expect.stringMatching(/^where(\.not){8}$/) })
    const many = (count: number) => ({
      or: [{ or: Array.from({ length: 32 }, () => ({ amount: 1 })) }, { or: Array.from({ length: count - 32 }, () => ({ amount: 1 })) }],
    })
    expect(await keys({ or: [many(64)] })).toEqual([])
    await fault({ or: [many(64), { amount: 1 }] })
  })

  it('[REC011] answers as of then', async () => {
    const before = new Date(now).toISOString()
    await write('d6', { stage: 'open', amount: 1 })
    const between = new Date(now).toISOString()
    await write('d6', { stage: 'closed' })
    const stage = async (as_of?: string) =>
      (await query({ where: { $record_key: 'd6' }, ...(as_of && { as_of }) })).records.map((row) => [
        row.fields['stage']?.value,
        row.status,
      ])
    expect([await stage(before), await stage(between), await stage()]).toEqual([[], [['open', 'superseded']], [['closed', 'active']]])
    expect(await keys({ stage: 'open', $record_key: 'd6' }, { as_of: between })).toEqual(['d6'])
    now += 1000
    await loom.call('memory.record.delete', { schema: 'deal', record_key: 'd6', agent: 'a' }, holder())
    expect(await keys({ $record_key: 'd6' })).toEqual([])
    expect((await query({ where: { $record_key: 'd6' }, include_tombstoned: true })).records).toMatchObject([{ status: 'tombstoned' }])
    expect(await stage(between)).toEqual([['open', 'superseded']])
    expect(await loom.call('memory.record.get', { schema: 'deal', record_key: 'd6', as_of: between }, viewer)).toMatchObject({
      found: true,
      status: 'superseded',
    })
  })

  it('sorts, what has no value last both ways, and ties by key', async () => {
    const by = async (...order_by: object[]) => (await query({ order_by })).records.map((row) => row.record_key)
    expect(await by({ by: 'amount' })).toEqual(['d3', 'd4', 'd1', 'd2', 'd5'])
    expect(await by({ by: 'amount', dir: 'desc' })).toEqual(['d2', 'd1', 'd4', 'd3', 'd5'])
    expect(await by({ by: 'stage' }, { by: 'seats', dir: 'desc' })).toEqual(['d4', 'd3', 'd2', 'd1', 'd5'])
    expect(await by()).toEqual(['d1', 'd2', 'd3', 'd4', 'd5'])
    expect((await query()).records.map((row) => row.record_key)).toEqual(['d5', 'd4', 'd3', 'd2', 'd1'])
  })

  it('pages every order without a gap or a repeat, and counts', async () => {
    const fields = ['amount', 'stage', 'hot', 'city', 'seats', '$created_at', '$agent']
    for (const by of fields) {
      for (const dir of ['asc', 'desc']) {
        const order_by = [{ by, dir }]
        const whole = (await query({ order_by })).records.map((row) => row.record_key)
        const paged: string[] = []
        for (let cursor: string | undefined; ;) {
          const page = await query({ order_by, limit: 2, count: true, ...(cursor && { cursor }) })
          expect(page.total).toBe(5)
          paged.push(...page.records.map((row) => row.record_key))
          if (page.next_cursor === null) break
          cursor = page.next_cursor
        }
        expect([by, dir, paged]).toEqual([by, dir, whole])
      }
    }
  })

  it('takes no cursor of another list, and none that was made up', async () => {
    const { next_cursor } = await query({ order_by: [{ by: 'amount' }], limit: 1 })
    await refused(query({ order_by: [{ by: 'seats' }], limit: 1, cursor: next_cursor }), 'INVALID_CURSOR')
    const [list] = JSON.parse(Buffer.from(next_cursor ?? '', 'base64url').toString()) as [string]
    for (const place of [
      ['1e99999999', 'd1', '-'],
      ["0'; DROP TABLE loom.memory_record; --", 'd1', '-'],
      ['1', 'a\0', '-'],
      ['1', 'a\ud800', '-'],
      ['1'],
      [{}, 'd1', '-'],
    ]) {
      const cursor = Buffer.from(JSON.stringify([list, ...place])).toString('base64url')
      await refused(query({ order_by: [{ by: 'amount' }], limit: 1, cursor }), 'INVALID_CURSOR')
    }
  })

  it('narrows to whom it is asked for, and to what a token is bound to', async () => {
    expect(await keys({}, { user_id: 'u1' })).toEqual(['d4'])
    expect(await keys({}, { agent: 'b' })).toEqual(['d3'])
    expect(await keys({}, { user_id: '-', agent: '*' })).toEqual(['d1', 'd2', 'd3', 'd4', 'd5'])
    const bound = (more: Partial<Claims>) =>
      loom.call('memory.record.query', { schema: 'deal', count: true }, holder({ grants: { crm: 'viewer' }, ...more }))
    expect(await bound({ user_id: 'u1' })).toMatchObject({ total: 1, records: [{ record_key: 'd4' }] })
    expect(await bound({ own_session: true, session_id: 's1' })).toMatchObject({ total: 1, records: [{ record_key: 'd3' }] })
  })
})
