import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('reading, retiring and reviving', () => {
  let loom: TestEngine
  let now = Date.now()
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = (memory_key: string, more: object = {}) => loom.call('memory.get', { memory_key, ...more })
  const keysOf = async (query: string): Promise<string[]> =>
    (await loom.call('memory.search', { query })).results.map((hit) => hit.memory_key)

  it('answers only the fields asked for, and names those it does not have', async () => {
    await set('some/fields', 'Half of the row is enough.')
    const got = (await get('some/fields', { fields: ['value', 'tags', 'colour'] })) as Record<string, unknown>
    expect(got).toEqual({
      found: true,
      unchanged: false,
      reason: '',
      next: '',
      value: 'Half of the row is enough.',
      tags: [],
      ignored_args: ['colour'],
    })
  })

  it('says unchanged for the version the caller holds', async () => {
    const { version } = await set('held', 'The version is held.')
    expect(await get('held', { if_version: version })).toEqual({ found: true, unchanged: true, reason: '', next: '' })
    expect(await get('held', { if_version: version.toString() })).toMatchObject({ unchanged: true })
    expect(await get('held', { if_version: version - 1n })).toMatchObject({ unchanged: false, value: 'The version is held.' })
  })

  it('finds a key under another agent, and calls several of them ambiguous', async () => {
    await set('shared/key', 'Written by another agent.', { agent: 'other' })
    expect(await get('shared/key')).toMatchObject({ found: true, agent: 'other' })
    await set('shared/key', 'Written by a third agent about something else.', { agent: 'third' })
    const error = await refused(get('shared/key'), 'AMBIGUOUS_KEY')
    expect(error.fields['candidates']).toHaveLength(2)
    expect(await get('shared/key', { agent: 'third' })).toMatchObject({ agent: 'third' })
  })

  it('retires a row and brings it back, and the very next search knows', async () => {
    await set('zebra', 'Zebras graze near the turbine hall.', { tags: ['animals'], pinned: true })
    expect(await keysOf('zebras turbine')).toContain('zebra')
    const dead = await loom.call('memory.delete', { memory_key: 'zebra', reason: 'wrong hall' })
    expect(dead).toMatchObject({ found: true, tombstoned: true })
    expect(await keysOf('zebras turbine')).not.toContain('zebra')
    expect(await get('zebra')).toMatchObject({ found: false, reason: 'deleted', next: "memory.restore(memory_key='zebra')" })
    const deleted = await loom.call('memory.list', { status: ['tombstoned'] })
    expect(deleted.rows[0]).toMatchObject({ memory_key: 'zebra', excerpt: 'Zebras graze near the turbine hall.' })
    const back = await loom.call('memory.restore', { memory_key: 'zebra' })
    expect(back).toMatchObject({ restored: true, from: 'tombstoned', status: 'active' })
    expect(back.version > dead.version).toBe(true)
    expect(await get('zebra')).toMatchObject({ found: true, value: 'Zebras graze near the turbine hall.', pinned: true, tags: ['animals'] })
    expect(await keysOf('zebras turbine')).toContain('zebra')
    const { rows } = await loom.call('memory.history', { memory_key: 'zebra' })
    expect(rows.map((row) => row.op)).toEqual(['memory.restore', 'memory.delete', 'memory.set'])
  })

  it('restores for 14 days to the second', async () => {
    await set('old', 'A fact that will be forgotten in two weeks.')
    await loom.call('memory.delete', { memory_key: 'old' })
    const at = now
    now = at + 14 * 24 * 3600 * 1000 + 1
    expect(await loom.call('memory.restore', { memory_key: 'old' })).toMatchObject({ restored: false, reason: 'too_old' })
    expect(await get('old')).toMatchObject({ reason: 'deleted', next: 'memory.search' })
    now = at + 14 * 24 * 3600 * 1000
    expect(await loom.call('memory.restore', { memory_key: 'old', dry_run: true })).toMatchObject({
      restored: false,
      dry_run: true,
      reason: '',
    })
    expect(await loom.call('memory.restore', { memory_key: 'old' })).toMatchObject({ restored: true })
    expect(await loom.call('memory.restore', { memory_key: 'old' })).toMatchObject({ restored: false, reason: 'live' })
    expect(await loom.call('memory.restore', { memory_key: 'never' })).toMatchObject({ restored: false, reason: 'not_found' })
  })

  it('starts a deleted key afresh on its memory_id', async () => {
    const first = await set('again', 'The first life of a key.', { tags: ['one'] })
    await loom.call('memory.delete', { memory_key: 'again' })
    const second = await set('again', 'The second life of a key.')
    expect(second.memory_id).toBe(first.memory_id)
    expect(await get('again')).toMatchObject({ tags: [], value: 'The second life of a key.' })
  })

  it('deletes nothing that is not there, and nothing under either lock', async () => {
    expect(await loom.call('memory.delete', { memory_key: 'nowhere' })).toMatchObject({ found: false, tombstoned: false })
    await set('kept', 'This row may not go.')
    await loom.call('memory.lock', { memory_key: 'kept', mode: 'no_delete', reason: 'legal hold', ttl_seconds: 60 })
    const before = await countStores(loom.database)
    await refused(loom.call('memory.delete', { memory_key: 'kept' }), 'LOCKED')
    expect(await countStores(loom.database)).toEqual(before)
    now += 61_000
    expect(await loom.call('memory.delete', { memory_key: 'kept' })).toMatchObject({ tombstoned: true })
  })

  it('unlocks and unpins', async () => {
    await set('guarded', 'A guarded row.', { pinned: true })
    await loom.call('memory.lock', { memory_key: 'guarded', reason: 'audit' })
    expect(await get('guarded')).toMatchObject({ pinned: true, lock: { mode: 'read_only', reason: 'audit' } })
    expect(await loom.call('memory.unlock', { memory_key: 'guarded' })).toMatchObject({ unlocked: true, was: { mode: 'read_only' } })
    expect(await loom.call('memory.unlock', { memory_key: 'guarded' })).toMatchObject({ unlocked: false, reason: 'not_locked' })
    expect(await loom.call('memory.unpin', { memory_key: 'guarded' })).toMatchObject({ unpinned: true })
    expect(await loom.call('memory.unpin', { memory_key: 'guarded' })).toMatchObject({ unpinned: false, reason: 'not_pinned' })
    expect(await loom.call('memory.lock', { memory_key: 'nowhere', reason: 'x' })).toMatchObject({ locked: false, reason: 'not_found' })
  })

  it('does not serve an expired row', async () => {
    await set('brief', 'The visitor badge works today only.', { ttl_seconds: 10 })
    expect(await keysOf('visitor badge')).toContain('brief')
    now += 11_000
    expect(await get('brief')).toMatchObject({ found: false, reason: 'expired' })
    expect(await keysOf('visitor badge')).not.toContain('brief')
    const listed = await loom.call('memory.list', { text: 'visitor', include_expired: true })
    expect(listed.rows).toHaveLength(1)
  })

  it('keeps a row of high sensitivity to its key', async () => {
    await set('wallet/card', 'The travel card is 4111 1111 1111 1111.')
    expect(await get('wallet/card')).toMatchObject({ found: true, sensitivity: 'high' })
    expect(await keysOf('travel card')).not.toContain('wallet/card')
    const { rows } = await loom.call('memory.list', { key_prefix: 'wallet/', values: true })
    expect(rows[0]).toMatchObject({ excerpt: '', withheld: true })
    expect(rows[0]).not.toHaveProperty('value')
    const vectors = await loom.database.reader
      .selectFrom('memory_embedding')
      .select('axis')
      .where('memory_id', '=', rows[0]?.memory_id ?? '')
      .execute()
    expect(vectors).toEqual([])
  })

  it('says that it found nothing rather than pad', async () => {
    await set('weather', 'The roof terrace closes when it rains.', { namespace: 'small' })
    const none = await loom.call('memory.search', { namespace: 'small', query: 'quarterly revenue of the Zurich office' })
    expect(none).toMatchObject({ results: [], abstain: true, abstain_code: 'nothing_near' })
    const padded = await loom.call('memory.search', {
      namespace: 'small',
      query: 'quarterly revenue of the Zurich office',
      include_top_n_unmatched: 3,
    })
    expect(padded.results[0]).toMatchObject({ memory_key: 'weather', below_threshold: true })
    expect(await loom.call('memory.search', { namespace: 'void', query: 'anything' })).toMatchObject({ abstain_code: 'empty' })
    expect(await loom.call('memory.search', { namespace: 'small', query: 'roof', tags: ['none'] })).toMatchObject({
      abstain_code: 'filtered',
    })
    await refused(loom.call('memory.search', { query: '   ' }), 'INVALID_ARGUMENT')
  })

  it('ranks what stands above what is contested', async () => {
    await loom.call('memory.set', {
      namespace: 'docs',
      memory_key: 'deploy/window/prod',
      value: 'Production deploys run Tuesday and Thursday only; never Friday.',
    })
    await loom.call('memory.set', { namespace: 'docs', memory_key: 'ops/deploys', value: 'Production deploys run Monday to Thursday.' })
    const found = await loom.call('memory.search', { namespace: 'docs', query: 'when do we deploy' })
    expect(found.results.map((hit) => hit.memory_key)).toEqual(['deploy/window/prod', 'ops/deploys'])
    expect(found.results[0]?.conflicts).toEqual(['ops/deploys'])
    expect(found.results[0]?.why.length).toBeGreaterThan(0)
  })

  it('pages a list and a search with cursors that belong to them', async () => {
    for (let at = 0; at < 7; at++) await set(`page/${at}`, `Page item ${at} tells of subject ${at}.`, { namespace: 'pages' })
    const seen: string[] = []
    let cursor: string | null | undefined
    do {
      const page: Awaited<ReturnType<typeof loom.call<'memory.list'>>> = await loom.call('memory.list', {
        namespace: 'pages',
        sort: 'key',
        limit: 3,
        with_total: true,
        ...(cursor && { cursor }),
      })
      expect(page.total).toBe(7)
      seen.push(...page.rows.map((row) => row.memory_key))
      cursor = page.next_cursor
    } while (cursor)
    expect(seen).toEqual(Array.from({ length: 7 }, (_, at) => `page/${at}`))
    const list = await loom.call('memory.list', { namespace: 'pages', limit: 3 })
    await refused(
      loom.call('memory.list', { namespace: 'pages', limit: 3, order: 'asc', cursor: list.next_cursor ?? '' }),
      'INVALID_CURSOR',
    )
    await refused(loom.call('memory.list', { namespace: 'pages', cursor: 'nonsense' }), 'INVALID_CURSOR')
    const first = await loom.call('memory.search', { namespace: 'pages', query: 'page item subject', top_k: 4 })
    const second = await loom.call('memory.search', {
      namespace: 'pages',
      query: 'page item subject',
      top_k: 4,
      cursor: first.next_cursor ?? '',
    })
    expect(new Set([...first.results, ...second.results].map((hit) => hit.memory_key)).size).toBe(7)
    expect(second.next_cursor).toBeNull()
  })

  it.each(['updated', 'created', 'valid', 'key', 'confidence', 'recalled', 'expires', 'reinforced'] as const)(
    'pages in the order %s without loss',
    async (sort) => {
      const seen = new Set<string>()
      let cursor: string | null = null
      do {
        const page: Awaited<ReturnType<typeof loom.call<'memory.list'>>> = await loom.call('memory.list', {
          namespace: 'pages',
          sort,
          limit: 2,
          ...(cursor && { cursor }),
        })
        for (const row of page.rows) seen.add(row.memory_key)
        cursor = page.next_cursor
      } while (cursor)
      expect(seen.size).toBe(7)
    },
  )

  it('lists namespaces with what they hold', async () => {
    const { namespaces } = await loom.call('namespace.list', {})
    expect(namespaces.find((entry) => entry.namespace === 'pages')).toMatchObject({ rows: 7, role: 'platform_admin', registered: false })
    expect(namespaces.find((entry) => entry.namespace === 'docs')).toMatchObject({ open_conflicts: 1 })
  })

  it('says what it is', async () => {
    const info = await loom.call('engine.info', {})
    expect(info).toMatchObject({
      host: 'desktop',
      mode: 'single',
      storage: { kind: loom.database.kind, durable: loom.database.durable },
      embedder: { state: 'ready', dim: 384 },
      degraded: [],
    })
    expect(info.counts.memories).toBeGreaterThan(5)
  })

  it('tells by which operations a row was served, when asked', async () => {
    const at = { namespace: 'served' }
    const { memory_id } = await set('ferry/times', 'The island ferry leaves at seven.', at)
    const find = { query: 'when does the island ferry leave', ...at }
    await loom.call('memory.search', find)
    await loom.call('memory.search', { ...find, auto_touch: false })
    await loom.call('memory.ask', find)
    await loom.call('search', find)
    await loom.call('context.pack', find)
    await get('ferry/times', at)
    await loom.call('memory.get_by_id', { memory_id })
    const written = (times: number) =>
      expect.poll(async () => (await loom.call('memory.inspect', { memory_id, ...at })).row?.served_count, { timeout: 5000 }).toBe(times)
    await written(6)
    const told = await get('ferry/times', { ...at, include_recall_breakdown: true })
    const counted = { 'memory.search': 1, 'memory.ask': 1, search: 1, 'context.pack': 1, 'memory.get': 1, 'memory.get_by_id': 1 }
    expect(told.recall_breakdown).toEqual(counted)
    expect(told).toMatchObject({ served_count: 6, recall_count: 4 })
    await written(7)
    expect(await loom.call('memory.get_by_id', { memory_id, include_recall_breakdown: true, fields: ['recall_breakdown'] })).toMatchObject({
      recall_breakdown: { ...counted, 'memory.get': 2 },
    })
    expect((await get('ferry/times', at)).recall_breakdown).toBeNull()
  })

  it('names the operation that was meant', async () => {
    const error = await refused(loom.call('memory.sett' as never, {} as never), 'UNKNOWN_OPERATION')
    expect(error.fields).toEqual({ did_you_mean: 'memory.set' })
  })
})
