import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('working_memory.set, get, list and delete', () => {
  let loom: TestEngine
  let now = Date.parse('2026-11-30T12:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (key: string, value: unknown, more: object = {}) => loom.call('working_memory.set', { key, value, ...more } as never)
  const get = (key: string, more: object = {}) => loom.call('working_memory.get', { key, ...more })

  it('[API004] parks a value that is neither embedded, ranked nor judged, and leaves no audit row', async () => {
    await loom.call('memory.set', { memory_key: 'deploys', value: 'Production deploys run Tuesday only.' })
    const before = await countStores(loom.database)
    await set('import/cursor', { page: 7, note: 'Production deploys run Monday only.', big: 9007199254740993n })
    await set('import/copy', 'Production deploys run Tuesday only.')
    expect(await countStores(loom.database)).toEqual(before)
    expect(before.vectors).toBeGreaterThan(0)
    const { results } = await loom.call('memory.search', {
      query: 'when do production deploys run',
      include_top_n_unmatched: 50,
      top_k: 50,
    })
    expect(results.map((hit) => hit.memory_key)).toEqual(['deploys'])
    expect((await loom.call('memory.list', {})).rows.map((row) => row.memory_key)).toEqual(['deploys'])
    expect(await loom.call('memory.get', { memory_key: 'import/cursor' })).toMatchObject({ found: false })
    expect(await get('import/cursor')).toMatchObject({ found: true, value: { page: 7, big: 9007199254740993n } })
    await loom.call('memory.delete', { memory_key: 'deploys' })
  })

  it('keeps the last write: a new version and expiry, for the same value too', async () => {
    const first = await set('draft', 'one')
    expect(first).toEqual({
      key: 'draft',
      version: first.version,
      version_text: first.version.toString(),
      created: true,
      expires_at: new Date(now + 604_800_000).toISOString(),
    })
    now += 1000
    const second = await set('draft', 'one', { ttl_seconds: 60 })
    expect(second).toMatchObject({ created: false, expires_at: new Date(now + 60_000).toISOString() })
    expect(second.version).toBeGreaterThan(first.version)
    expect(await get('draft')).toEqual({
      found: true,
      key: 'draft',
      value: 'one',
      version: second.version,
      version_text: second.version_text,
      updated_at: new Date(now).toISOString(),
      expires_at: second.expires_at,
    })
  })

  it('holds a key for one exact identity', async () => {
    await set('mine', 1)
    await set('mine', 2, { user_id: 'ada' })
    expect([await get('mine'), await get('mine', { user_id: 'ada' }), await get('mine', { session_id: 's' })]).toMatchObject([
      { value: 1 },
      { value: 2 },
      { found: false, value: null, version: 0n, version_text: '0', updated_at: null, expires_at: null },
    ])
  })

  it('writes on a version only, 0 being a free key, and names the current one', async () => {
    const { version } = await set('guarded', 'a', { if_version: 0 })
    const taken = await refused(set('guarded', 'b', { if_version: 0 }), 'PRECONDITION_FAILED')
    expect(taken.fields).toMatchObject({ current_version: version })
    await refused(set('guarded', 'b', { if_version: version + 1n }), 'PRECONDITION_FAILED')
    const next = await set('guarded', 'b', { if_version: version })
    await refused(set('nowhere', 'b', { if_version: version }), 'PRECONDITION_FAILED')
    await refused(loom.call('working_memory.delete', { key: 'guarded', if_version: version }), 'PRECONDITION_FAILED')
    expect(await loom.call('working_memory.delete', { key: 'guarded', if_version: next.version })).toEqual({ found: true, deleted: true })
    expect(await loom.call('working_memory.delete', { key: 'guarded' })).toEqual({ found: false, deleted: false })
    expect((await set('guarded', 'c', { if_version: 0 })).version).toBeGreaterThan(next.version)
  })

  it('does not find what has expired, swept or not, and the sweep takes it', async () => {
    const { version } = await set('short', 'x', { ttl_seconds: 1 })
    const count = async () =>
      (await sql<{ n: number }>`SELECT count(*)::int AS n FROM loom.working_memory WHERE key = 'short'`.execute(loom.database.reader))
        .rows[0]?.n
    now += 1000
    expect(await get('short')).toMatchObject({ found: false })
    expect((await loom.call('working_memory.list', { prefix: 'short' })).entries).toEqual([])
    expect(await loom.call('working_memory.delete', { key: 'short' })).toEqual({ found: false, deleted: false })
    expect(await count()).toBe(1)
    const again = await set('short', 'x', { ttl_seconds: 1, if_version: 0 })
    expect(again).toMatchObject({ created: true })
    expect(again.version).toBeGreaterThan(version)
    now += 60_000
    await loom.engine.runDueJobs()
    expect(await count()).toBe(0)
  })

  it('refuses what is too large, and what is no key', async () => {
    expect((await refused(set('large', 'x'.repeat(65_535)), 'INVALID_ARGUMENT')).fields).toMatchObject({ field: 'value' })
    await set('large', 'x'.repeat(65_534))
    await refused(set('large', 'é'.repeat(40_000)), 'INVALID_ARGUMENT')
    for (const wrong of [{ key: ' k' }, { key: 'k'.repeat(513) }, { ttl_seconds: 0 }, { ttl_seconds: 7_776_001 }])
      await refused(set('k', 1, wrong), 'INVALID_ARGUMENT')
  })

  it('lists by key, page by page, with values when asked', async () => {
    const namespace = 'pages'
    for (const key of ['b', 'a/2', 'a/1', 'c']) await set(key, { of: key }, { namespace })
    await set('a/1', 'other', { namespace, user_id: 'ada' })
    const all = await loom.call('working_memory.list', { namespace })
    expect(all.entries.map((one) => [one.key, one.user_id])).toEqual([
      ['a/1', '-'],
      ['a/1', 'ada'],
      ['a/2', '-'],
      ['b', '-'],
      ['c', '-'],
    ])
    expect(all.entries[0]).not.toHaveProperty('value')
    expect(all.entries[0]).toMatchObject({ agent: 'default', bytes: 12 })
    const keys: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page: Awaited<ReturnType<typeof loom.call<'working_memory.list'>>> = await loom.call('working_memory.list', {
        namespace,
        limit: 2,
        values: true,
        cursor,
      })
      keys.push(...page.entries.map((one) => `${one.key} ${JSON.stringify(one.value)}`))
      cursor = page.next_cursor
    }
    expect(keys).toEqual(['a/1 {"of":"a/1"}', 'a/1 "other"', 'a/2 {"of":"a/2"}', 'b {"of":"b"}', 'c {"of":"c"}'])
    expect((await loom.call('working_memory.list', { namespace, prefix: 'a/', user_id: 'ada' })).entries).toHaveLength(1)
    await refused(loom.call('working_memory.list', { namespace, cursor: 'nonsense' }), 'INVALID_CURSOR')
  })

  it('[API031] shows a bound token its own values alone', async () => {
    const claims = { ...localClaims('process', 'bot'), grants: { pages: 'writer' as const }, user_id: 'ada' }
    const { entries } = await loom.call('working_memory.list', { namespace: 'pages' }, { claims })
    expect(entries.map((one) => one.user_id)).toEqual(['ada'])
    await refused(loom.call('working_memory.get', { namespace: 'pages', key: 'b', user_id: 'bob' }, { claims }), 'FORBIDDEN')
    await refused(
      loom.call('working_memory.set', { key: 'b', value: 1 }, { claims: { ...claims, grants: { local: 'viewer' } } }),
      'FORBIDDEN',
    )
  })
})
