import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

const DAY = 24 * 3600 * 1000

describe('memory.delete, memory.delete_version and memory.restore', () => {
  let loom: TestEngine
  let now = Date.now()
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = (memory_key: string, more: object = {}) => loom.call('memory.get', { memory_key, ...more })
  const remove = (memory_key: string, more: object = {}) => loom.call('memory.delete', { memory_key, ...more })
  const removeVersion = (memory_key: string, version: bigint | string, more: object = {}) =>
    loom.call('memory.delete_version', { memory_key, version, ...more })

  it('writes a tombstone, after which the key reads as deleted [CHG007, CHG057]', async () => {
    const row = await set('gate', 'The gate code is changed every month.')
    const before = await countStores(loom.database)
    const gone = await remove('gate')
    expect(gone).toMatchObject({ found: true, tombstoned: true, memory_id: row.memory_id, summaries: [] })
    expect(gone.version > row.version).toBe(true)
    expect(await get('gate')).toMatchObject({ found: false, reason: 'deleted', next: "memory.restore(memory_key='gate')" })
    expect((await loom.call('memory.search', { query: 'gate code' })).results).toEqual([])
    expect(await countStores(loom.database)).toMatchObject({ versions: before.versions + 1, audit: before.audit + 1 })
    expect(await remove('gate')).toMatchObject({ found: false, tombstoned: false })
  })

  it('finds the key of another agent, once [CHG023]', async () => {
    await set('foreign', 'Another agent keeps this.', { agent: 'other', session_id: 's1' })
    expect(await remove('foreign')).toMatchObject({ found: true, tombstoned: true })
    expect(await remove('foreign')).toMatchObject({ found: false, tombstoned: false })
    await set('of/user', 'The first user keeps bees.', { agent: 'a', user_id: 'u1' })
    await set('of/user', 'The second user keeps goats.', { agent: 'a', user_id: 'u2' })
    await refused(remove('of/user'), 'AMBIGUOUS_KEY')
    expect(await remove('of/user', { user_id: 'u2' })).toMatchObject({ tombstoned: true })
    expect(await get('of/user', { agent: 'a', user_id: 'u1' })).toMatchObject({ found: true })
  })

  it('restores on day 14 to the second, and nothing older [CHG008]', async () => {
    await set('restore/in', 'The red folder lies in the safe.')
    await set('restore/out', 'Blue whales sing at night.')
    await remove('restore/in')
    await remove('restore/out')
    now += 14 * DAY
    expect(await loom.call('memory.restore', { memory_key: 'restore/in' })).toMatchObject({
      restored: true,
      from: 'tombstoned',
      status: 'active',
    })
    expect(await get('restore/in')).toMatchObject({ found: true, value: 'The red folder lies in the safe.' })
    expect((await loom.call('memory.search', { query: 'where is the red folder' })).results[0]).toMatchObject({ memory_key: 'restore/in' })
    now += 1000
    expect(await loom.call('memory.restore', { memory_key: 'restore/out' })).toMatchObject({ restored: false, reason: 'too_old' })
  })

  it('deletes a version only while it is the newest [CHG027]', async () => {
    const first = await set('versioned', 'Version one of the plan.')
    const second = await set('versioned', 'Version two of the plan is longer.')
    expect(await removeVersion('versioned', first.version)).toMatchObject({
      found: true,
      tombstoned: false,
      reason: 'version_changed',
      version: second.version,
    })
    expect(await get('versioned')).toMatchObject({ found: true, version: second.version })
    expect(await removeVersion('versioned', second.version.toString())).toMatchObject({ found: true, tombstoned: true, reason: '' })
    expect(await removeVersion('versioned', second.version)).toMatchObject({ found: false, tombstoned: false, reason: 'not_found' })
  })

  it('looks at one exact identity, of one agent [CHG025]', async () => {
    const row = await set('exact', 'Kept by somebody else.', { agent: 'other' })
    expect(await removeVersion('exact', row.version)).toMatchObject({ found: false, reason: 'not_found' })
    for (const agent of ['*', '-']) await refused(removeVersion('exact', row.version, { agent }), 'INVALID_ARGUMENT')
    expect(await removeVersion('exact', row.version, { agent: 'other' })).toMatchObject({ tombstoned: true })
  })

  it('takes any head but a tombstone, and keeps to the locks', async () => {
    const row = await set('wrong', 'A claim that is wrong.')
    await loom.call('memory.lock', { memory_key: 'wrong', mode: 'no_delete', reason: 'audit' })
    await refused(removeVersion('wrong', row.version), 'LOCKED')
    await loom.call('memory.unlock', { memory_key: 'wrong' })
    const rejected = await loom.call('memory.reject', { memory_key: 'wrong' })
    expect(await removeVersion('wrong', rejected.version)).toMatchObject({ tombstoned: true })
  })

  it('sees a version that another write has just replaced', async () => {
    const row = await set('raced', 'The race stands at zero.')
    const [changed, deleted] = await Promise.all([set('raced', 'The race stands at one.'), removeVersion('raced', row.version)])
    const head = await get('raced')
    expect(deleted.tombstoned ? changed.version > row.version : head.version === changed.version).toBe(true)
    expect(head.found).toBe(true)
  })

  /** A summary as memory.consolidate stores one: its version with its sources. */
  async function summarise(key: string, value: string, sources: readonly string[]): Promise<string> {
    const { memory_id, version } = await set(key, value, { source_class: 'derived' })
    await loom.database.transaction((tx) =>
      tx
        .insertInto('memory_summary')
        .values(sources.map((source_id) => ({ org: 'dev', memory_id, version, source_id })))
        .execute(),
    )
    return memory_id
  }

  it('takes a deleted source from its summaries, which are conflicted or retired [CHG028, CHG029]', async () => {
    const one = await set('src/one', 'Ada waters the ferns on Monday.')
    const two = await set('src/two', 'Grace repairs the printer in spring.')
    const id = await summarise('summary/src', 'Chores: the ferns on Mondays, the printer each spring.', [one.memory_id, two.memory_id])
    expect((await get('summary/src')).derived_from).toEqual([one.memory_id, two.memory_id].sort())
    const before = await countStores(loom.database)

    expect((await remove('src/one')).summaries).toEqual([{ memory_key: 'summary/src', status: 'conflicted' }])
    expect(await get('summary/src')).toMatchObject({ status: 'conflicted', derived_from: [two.memory_id] })
    expect((await countStores(loom.database)).audit).toBe(before.audit + 2)

    expect((await remove('src/two')).summaries).toEqual([{ memory_key: 'summary/src', status: 'superseded' }])
    const row = await loom.call('memory.get_by_id', { memory_id: id })
    expect(row).toMatchObject({ status: 'superseded', superseded_by: '', derived_from: [] })
    expect((await loom.call('memory.history', { memory_key: 'summary/src' })).rows.map((version) => version.status)).toEqual([
      'superseded',
      'conflicted',
      'active',
    ])
  })
})
