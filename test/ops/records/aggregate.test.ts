import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import { stringifyJson } from '../../../shared/contract/json.ts'
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
const write = (record_key: string, fields: CallInputOf<'memory.record.write'>['fields'], more: object = {}) => {
  now += 1000
  return loom.call('memory.record.write', { schema: 'sale', record_key, fields, agent: 'a', ...more }, holder())
}
type Question = Omit<CallInputOf<'memory.aggregate'>, 'schema'>
const ask = (question: Question, who = viewer): Promise<OutputOf<'memory.aggregate'>> =>
  loom.call('memory.aggregate', { schema: 'sale', ...question }, who)
const groups = async (question: Question) => (await ask(question)).groups
const one = async (question: Question) => (await groups(question))[0]?.value

beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, clock: () => now })
  const fields = [
    { name: 'status', type: 'string' as const },
    { name: 'amount', type: 'number' as const },
    { name: 'seats', type: 'integer' as const },
    { name: 'hot', type: 'boolean' as const },
  ]
  await loom.call('memory_schema.register', { schema: 'sale', fields }, holder())
})
afterAll(() => loom.close())

describe('memory.aggregate', () => {
  it('answers one group over nothing', async () => {
    expect(await ask({ function: 'count' })).toEqual({ groups: [{ key: {}, value: 0, n: 0 }], total_groups: 1, truncated: false })
    for (const by of ['sum', 'avg', 'min', 'max'] as const)
      expect(await groups({ function: by, field: 'amount' })).toEqual([{ key: {}, value: null, n: 0 }])
    expect(await ask({ function: 'count', group_by: ['status'] })).toEqual({ groups: [], total_groups: 0, truncated: false })
  })

  it('[REC015] computes count, sum, avg, min and max', async () => {
    await write('1', { status: 'open', amount: 0.1, seats: 3, hot: true })
    await write('2', { status: 'open', amount: 0.2, seats: 4 }, { agent: 'b' })
    await write('3', { status: 'closed', amount: 7, seats: 1, hot: false })
    await write('4', { status: 'closed' })
    await write('5', { amount: { state: 'rejected', value: 1000 }, hot: true })
    await write('gone', { status: 'open', amount: 99 })
    await loom.call('memory.record.delete', { schema: 'sale', record_key: 'gone', agent: 'a' }, holder())
    const field = 'amount'
    expect(await groups({ function: 'count' })).toEqual([{ key: {}, value: 5, n: 5 }])
    expect(await groups({ function: 'count', field })).toEqual([{ key: {}, value: 3, n: 3 }])
    expect(await groups({ function: 'sum', field })).toEqual([{ key: {}, value: 7.3, n: 3 }])
    expect(await groups({ function: 'avg', field })).toEqual([{ key: {}, value: 7.3 / 3, n: 3 }])
    expect(await groups({ function: 'min', field })).toEqual([{ key: {}, value: 0.1, n: 3 }])
    expect(await groups({ function: 'max', field })).toEqual([{ key: {}, value: 7, n: 3 }])
    expect([await one({ function: 'min', field: 'status' }), await one({ function: 'max', field: 'status' })]).toEqual(['closed', 'open'])
  })

  it('[REC016] groups, by value descending and then by key', async () => {
    expect(await groups({ function: 'count', group_by: ['status'] })).toEqual([
      { key: { status: 'closed' }, value: 2, n: 2 },
      { key: { status: 'open' }, value: 2, n: 2 },
      { key: { status: null }, value: 1, n: 1 },
    ])
    expect(await groups({ function: 'sum', field: 'amount', group_by: ['status', '$agent'] })).toEqual([
      { key: { status: 'closed', $agent: 'a' }, value: 7, n: 1 },
      { key: { status: 'open', $agent: 'b' }, value: 0.2, n: 1 },
      { key: { status: 'open', $agent: 'a' }, value: 0.1, n: 1 },
      { key: { status: null, $agent: 'a' }, value: null, n: 0 },
    ])
    expect((await groups({ function: 'count', group_by: ['hot'] })).map((group) => group.key['hot'])).toEqual([true, null, false])
    expect((await groups({ function: 'count', group_by: ['seats'] })).map((group) => group.key['seats'])).toEqual([null, 1, 3, 4])
    expect(await ask({ function: 'count', group_by: ['status'], limit: 2 })).toMatchObject({
      total_groups: 3,
      truncated: true,
      groups: [{}, {}],
    })
  })

  it('asks the same predicates, of now or of then', async () => {
    expect(await one({ function: 'sum', field: 'seats', where: { status: 'open', seats: { gte: 4 } } })).toBe(4)
    const then = new Date(now).toISOString()
    await write('1', { amount: 100 })
    expect(await one({ function: 'max', field: 'amount' })).toBe(100)
    expect(await one({ function: 'max', field: 'amount', as_of: then })).toBe(7)
    await write('1', { amount: 0.1 })
    expect(await groups({ function: 'count', user_id: 'nobody' })).toEqual([{ key: {}, value: 0, n: 0 }])
    expect((await ask({ function: 'count' }, holder({ user_id: 'u9', grants: { crm: 'viewer' } }))).groups).toEqual([
      { key: {}, value: 0, n: 0 },
    ])
  })

  it('adds in decimal, and sends sums to the last digit', async () => {
    const sumOf = async (...amounts: number[]) => {
      for (const [at, amount] of amounts.entries()) await write(`x${at}`, { amount }, { user_id: 'sums' })
      const answer = await ask({
        function: 'sum',
        field: 'amount',
        user_id: 'sums',
        where: { $record_key: { in: amounts.map((_, at) => `x${at}`) } },
      })
      return stringifyJson(answer.groups[0]?.value)
    }
    expect(await sumOf(0.1, 0.2, -0.3)).toBe('0')
    expect(await sumOf(2 ** 53, 1)).toBe('9007199254740993')
    expect(await sumOf(1e300, 1)).toBe(`1${'0'.repeat(299)}1`)
    expect(await sumOf(2 ** 53, 0.25)).toBe('"9007199254740992.25"')
    expect(await sumOf(1e-7, 2e-7)).toBe('3e-7')
  })

  it('refuses what has no sum or no order', async () => {
    const field = async (question: Question) => (await refused(ask(question), 'INVALID_ARGUMENT')).fields['field']
    expect(await field({ function: 'sum' })).toBe('field')
    expect(await field({ function: 'sum', field: 'status' })).toBe('field')
    expect(await field({ function: 'avg', field: 'hot' })).toBe('field')
    expect(await field({ function: 'min', field: 'hot' })).toBe('field')
    expect(await field({ function: 'count', field: '$agent' })).toBe('field')
    expect(await field({ function: 'count', field: 'amont' })).toBe('field')
    expect(await field({ function: 'count', group_by: ['$session_id'] })).toBe('group_by[0]')
    expect(await field({ function: 'count', group_by: ['status', 'status'] })).toBe('group_by[1]')
    expect(await field({ function: 'count', group_by: ['status', 'hot', 'seats', 'amount'] })).toBe('group_by')
    await refused(loom.call('memory.aggregate', { schema: 'sales', function: 'count' }, viewer), 'NOT_FOUND')
  })
})
