import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('memory.outcome and memory.reject', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = (memory_key: string) => loom.call('memory.get', { memory_key })
  const tell = (memory_key: string, outcome: 'positive' | 'negative' | 'neutral', more: object = {}) =>
    loom.call('memory.outcome', { memory_key, outcome, ...more })

  it('counts outside the version chain, and once a run', async () => {
    const row = await set('counted', 'The counted row is used by runs.')
    const before = await countStores(loom.database)
    expect(await tell('counted', 'positive', { weight: 3 })).toEqual({
      recorded: true,
      reason: '',
      memory_id: row.memory_id,
      acted_count: 3,
      harm_count: 0,
      quarantined: false,
      status: 'active',
    })
    expect(await tell('counted', 'negative', { run_id: 'r1', note: 'did not work' })).toMatchObject({ recorded: true, harm_count: 1 })
    expect(await tell('counted', 'negative', { run_id: 'r1' })).toMatchObject({ recorded: false, reason: 'repeated', harm_count: 1 })
    expect(await tell('counted', 'neutral')).toMatchObject({ recorded: true, acted_count: 3, harm_count: 1 })
    expect(await get('counted')).toMatchObject({
      version: row.version,
      used_count: 3,
      acted_count: 3,
      harm_count: 1,
      reinforcement_count: 0,
    })
    expect(await countStores(loom.database)).toEqual(before)
    expect(await tell('nowhere', 'neutral')).toMatchObject({ recorded: false, reason: 'not_found', memory_id: '' })
  })

  it('quarantines at the third negative with no positive since [CHG052]', async () => {
    const row = await set('bad', 'The staging password rotates on Sundays.')
    await tell('bad', 'negative', { weight: 10 })
    await tell('bad', 'negative')
    await tell('bad', 'positive')
    await tell('bad', 'negative')
    expect(await tell('bad', 'negative')).toMatchObject({ quarantined: false, status: 'active' })
    await tell('bad', 'neutral')
    const before = await countStores(loom.database)
    expect(await tell('bad', 'negative')).toMatchObject({ recorded: true, quarantined: true, status: 'rejected' })
    expect(await countStores(loom.database)).toMatchObject({ versions: before.versions + 1, audit: before.audit + 1 })
    expect(await get('bad')).toMatchObject({ found: true, status: 'rejected' })
    expect((await loom.call('memory.search', { query: 'when does the staging password rotate' })).results).toEqual([])
    expect(await tell('bad', 'negative')).toMatchObject({ recorded: false, reason: 'not_found' })

    const restored = await loom.call('memory.restore', { memory_key: 'bad' })
    expect(restored).toMatchObject({ restored: true, from: 'rejected', memory_id: row.memory_id })
    expect(await get('bad')).toMatchObject({ status: 'active', harm_count: 0 })
    expect(await tell('bad', 'negative')).toMatchObject({ quarantined: false, harm_count: 1 })
  })

  it('leaves a locked and a pinned row as they are, and goes on counting [CHG037]', async () => {
    await set('held', 'The held row is under a lock.')
    await loom.call('memory.lock', { memory_key: 'held', mode: 'no_delete', reason: 'audit' })
    await set('pinned', 'Snow falls on the northern pass.', { pinned: true })
    for (const key of ['held', 'pinned']) {
      for (let count = 1; count <= 4; count++) {
        expect(await tell(key, 'negative')).toMatchObject({ recorded: true, harm_count: count, quarantined: false, status: 'active' })
      }
    }
    await loom.call('memory.unlock', { memory_key: 'held' })
    expect(await tell('held', 'negative')).toMatchObject({ quarantined: true, harm_count: 5 })
  })

  it('rejects a wrong fact: out of search, readable by key, undone by restore', async () => {
    const row = await set('false', 'The moon is made of green cheese.', { pinned: true })
    const before = await countStores(loom.database)
    const rejected = await loom.call('memory.reject', { memory_key: 'false', reason: 'it is not' })
    expect(rejected).toMatchObject({ rejected: true, reason: '', status: 'rejected', memory_id: row.memory_id })
    expect(rejected.version > row.version).toBe(true)
    expect(await countStores(loom.database)).toMatchObject({ versions: before.versions + 1, audit: before.audit + 1 })
    expect(await loom.call('memory.reject', { memory_key: 'false' })).toEqual(rejected)
    expect(await countStores(loom.database)).toMatchObject({ audit: before.audit + 1 })
    expect(await get('false')).toMatchObject({ found: true, status: 'rejected', pinned: false })
    expect(
      (await loom.call('memory.search', { query: 'what is the moon made of', include_superseded: true, include_duplicates: true })).results,
    ).toEqual([])
    // No peer any more: the same claim is free to be stored elsewhere.
    expect(await set('true', 'The moon is made of rock.')).toMatchObject({ conflict_verdict: 'clear' })
    expect(await loom.call('memory.reject', { memory_key: 'nowhere' })).toMatchObject({ rejected: false, reason: 'not_found' })
    expect(await set('false', 'The moon is a rock after all.')).toMatchObject({ memory_id: row.memory_id })
    await refused(tell('false', 'negative', { weight: 11 }), 'INVALID_ARGUMENT')
  })
})
