import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores, reinforcementOf } from '../../helpers/store-counts.ts'

describe('the checks of a write, in order', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
    await loom.call('blacklist.add', { pattern: 'hunter2', reason: 'a password' })
  })
  afterAll(() => loom.close())

  const fresh = async (key: string, more: object = {}): Promise<string> => {
    const set = await loom.call('memory.set', { memory_key: key, value: `The fact of ${key} stands as first written.`, ...more })
    return set.memory_id
  }
  const locked = (key: string, mode: 'read_only' | 'no_delete' = 'read_only') =>
    loom.call('memory.lock', { memory_key: key, mode, reason: 'audit' })
  const change = (key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key: key, value, ...more } as never)

  it('reports unknown fields, with the real name where one is near [CHK002]', async () => {
    const got = (await loom.call('memory.get', { memory_key: 'nothing', zzz: 1, agnt: 'a' } as never)) as Record<string, unknown>
    expect(got['ignored_args']).toEqual(['zzz', 'agnt'])
    expect(got['did_you_mean']).toEqual({ agnt: 'agent' })
  })

  it('refuses a near miss on a write and stores nothing [CHK004]', async () => {
    const before = await countStores(loom.database)
    const error = await refused(change('typo', 'A fact with a misspelt field.', { tag: ['x'] }), 'UNKNOWN_ARGUMENT')
    expect(error.fields['did_you_mean']).toEqual({ tag: 'tags' })
    expect(await countStores(loom.database)).toEqual(before)
  })

  it('serves a write with a field that resembles none [CHK005]', async () => {
    const set = (await change('far', 'A fact with an odd field.', { qqqqq: 1 })) as unknown as Record<string, unknown>
    expect(set['ignored_args']).toEqual(['qqqqq'])
    expect(set['status']).toBe('active')
  })

  it('checks arguments before guards [CHK001, CHK003]', async () => {
    await fresh('order/args')
    await locked('order/args')
    await refused(change('order/args', 'Changed.', { tag: [] }), 'UNKNOWN_ARGUMENT')
  })

  it('lets the same value pass lock and pin, and reinforces [CHK006]', async () => {
    const id = await fresh('same/value', { pinned: true })
    await locked('same/value')
    const again = await change('same/value', 'The fact of same/value stands as first written.')
    expect(again.noop).toBe(true)
    expect(await reinforcementOf(loom.database, id)).toBe(1)
  })

  it('refuses a changed value under a lock, before the pin [CHK008, CHK010]', async () => {
    await fresh('both', { pinned: true })
    await locked('both')
    const error = await refused(change('both', 'Changed.'), 'LOCKED')
    expect(error.fields).toMatchObject({ mode: 'read_only', reason: 'audit', locked_by: 'human:local', until: null })
  })

  it('refuses a changed expiry of a locked row, the same value or not', async () => {
    await fresh('expiry/locked')
    await locked('expiry/locked')
    await refused(change('expiry/locked', 'The fact of expiry/locked stands as first written.', { ttl_seconds: 60 }), 'LOCKED')
  })

  it('refuses a changed value on a pinned key, and the row stays [CHK009, CHK011, CHK007]', async () => {
    await fresh('pinned', { pinned: true, char_limit: 60 })
    const before = await countStores(loom.database)
    await refused(change('pinned', `Changed ${'very '.repeat(40)}much.`), 'PINNED_CONFLICT')
    expect(await countStores(loom.database)).toEqual(before)
    const got = await loom.call('memory.get', { memory_key: 'pinned' })
    expect(got).toMatchObject({ value: 'The fact of pinned stands as first written.', pinned: true })
  })

  it('counts characters against char_limit, stored ones too [CHK012]', async () => {
    await refused(change('limit', 'twelve chars', { char_limit: 11 }), 'CHAR_LIMIT_EXCEEDED')
    await change('limit', 'ten chars!', { char_limit: 10 })
    await refused(change('limit', 'eleven char'), 'CHAR_LIMIT_EXCEEDED')
    await change('limit', '日本語の十文字です。')
    await change('limit', 'no limit any more', { char_limit: 0 })
  })

  it('refuses a blocked value, naming the pattern, and counts the hit [CHK013]', async () => {
    const error = await refused(change('secret', 'The password is HUNTER2.'), 'BLACKLISTED')
    expect(error.fields).toMatchObject({ reason: 'a password' })
    const row = await loom.database.reader.selectFrom('blacklist').select('hits').executeTakeFirstOrThrow()
    expect(row.hits >= 1n).toBe(true)
    await refused(change('secret', { nested: ['say hunter2'] }), 'BLACKLISTED')
  })

  it('tests char_limit before the blacklist, and the blacklist before the hash [CHK014, CHK015]', async () => {
    await refused(change('gates', 'hunter2 hunter2', { char_limit: 3 }), 'CHAR_LIMIT_EXCEEDED')
    await fresh('gates/hash')
    await refused(change('gates/hash', 'hunter2', { if_match_sha256: 'stale' }), 'BLACKLISTED')
  })

  it('refuses a stale hash before any verdict, with the current one [CHK016, CHK017, PRE003, PRE004]', async () => {
    await change('deploy/window', 'Production deploys run Tuesday and Thursday only; never Friday.', { namespace: 'hash' })
    const first = await change('ops/deploys', 'Ship it on any weekday.', { namespace: 'hash' })
    const error = await refused(
      change('ops/deploys', 'Production deploys run Monday to Thursday.', { namespace: 'hash', if_match_sha256: 'stale' }),
      'PRECONDITION_FAILED',
    )
    expect(error.fields).toEqual({ current_sha256: first.content_sha256 })
    const retried = await change('ops/deploys', 'Production deploys run Monday to Thursday.', {
      namespace: 'hash',
      if_match_sha256: error.fields['current_sha256'],
    })
    expect(retried.conflict_verdict).toBe('conflict')
  })

  it('answers an empty current_sha256 for a key with no live row', async () => {
    const error = await refused(change('nowhere', 'A fact.', { if_match_sha256: 'abc' }), 'PRECONDITION_FAILED')
    expect(error.fields).toEqual({ current_sha256: '' })
  })

  it('compares with active rows of the same type only [CHK018]', async () => {
    const value = 'The night shift starts at ten in the evening.'
    await loom.call('memory.set', { namespace: 'twins', memory_key: 'gone', value })
    await loom.call('memory.delete', { namespace: 'twins', memory_key: 'gone' })
    await loom.call('memory.set', { namespace: 'twins', memory_key: 'profile', value, memory_type: 'profile' })
    const set = await loom.call('memory.set', { namespace: 'twins', memory_key: 'now', value })
    expect(set.conflict_verdict).toBe('clear')
  })

  it('lets exactly one of two writers with the same hash through [PRE002, PRE011, PRE013]', async () => {
    const first = await change('race', 'The race is on lap zero.')
    const writers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, lap) => change('race', `The race is on lap ${lap + 1}.`, { if_match_sha256: first.content_sha256 })),
    )
    expect(writers.filter((writer) => writer.status === 'fulfilled')).toHaveLength(1)
    for (const writer of writers) if (writer.status === 'rejected') expect(writer.reason).toMatchObject({ code: 'PRECONDITION_FAILED' })
  })

  it('answers one hash from set, get and get_by_id [PRE001]', async () => {
    const set = await change('hash/one', 'The hash is one.')
    const got = await loom.call('memory.get', { memory_key: 'hash/one' })
    const byId = await loom.call('memory.get_by_id', { memory_id: set.memory_id })
    expect([got.content_sha256, byId.content_sha256]).toEqual([set.content_sha256, set.content_sha256])
  })
})
