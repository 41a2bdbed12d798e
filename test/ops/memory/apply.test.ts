import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

const VALUES = {
  'scratch/a': 'The kettle in the east kitchen is broken.',
  'scratch/b': 'Ferns want water every second day.',
  'note/c': 'The annual report is due in March.',
} as const

describe('memory.apply', () => {
  let loom: TestEngine
  let now = Date.now()
  let namespace = ''
  let rounds = 0
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more } as never)
  const apply = (more: object) => loom.call('memory.apply', { namespace, reason: 'tidy up', ...more } as never)
  const get = (memory_key: string, more: object = {}) => loom.call('memory.get', { namespace, memory_key, ...more })
  const keysOf = (answer: { rows: readonly { memory_key: string }[] }) => answer.rows.map((row) => row.memory_key).sort()

  beforeEach(async () => {
    namespace = `apply-${rounds++}`
    await set('scratch/a', VALUES['scratch/a'], { tags: ['Scratch', 'kitchen'], confidence: 0.5 })
    await set('scratch/b', VALUES['scratch/b'], { tags: ['scratch'], confidence: 0.9, source_trace: 'wiki/7' })
    await set('note/c', VALUES['note/c'], { memory_type: 'episodic' })
    await set('scratch/a', 'The same key of another agent is never touched.', { agent: 'other', tags: ['scratch'] })
  })

  it('previews when dry_run is left out, and changes nothing [CHG011]', async () => {
    await loom.call('memory.lock', { namespace, memory_key: 'scratch/b', mode: 'no_delete', reason: 'audit' })
    const before = await countStores(loom.database)
    const answer = await apply({ keys: ['scratch/a', 'scratch/b', 'none'], action: 'delete' })
    expect(answer).toMatchObject({
      dry_run: true,
      matched: 2,
      truncated: false,
      totals: { would_apply: 1, applied: 0, unchanged: 0, refused: 2 },
    })
    expect(answer.rows).toMatchObject([
      { memory_key: 'scratch/a', agent: 'default', outcome: 'would_apply', code: '', excerpt: VALUES['scratch/a'] },
      { memory_key: 'scratch/b', outcome: 'refused', code: 'LOCKED' },
      { memory_key: 'none', memory_id: '', outcome: 'refused', code: 'NOT_FOUND' },
    ])
    expect(answer.rows[1]?.message).toContain('audit')
    expect(await countStores(loom.database)).toEqual(before)
  })

  it('takes keys, a filter or a search [CHG042]', async () => {
    expect(keysOf(await apply({ keys: ['scratch/a'], action: 'delete' }))).toEqual(['scratch/a'])
    expect(keysOf(await apply({ filter: { tags_any: ['SCRATCH'] }, limit: 10, action: 'delete' }))).toEqual(['scratch/a', 'scratch/b'])
    const found = await apply({ search: { query: 'how often do ferns need water' }, limit: 10, action: 'delete' })
    expect(found.rows[0]).toMatchObject({ memory_key: 'scratch/b', agent: 'default' })
    expect(await apply({ filter: { tags_any: ['scratch'] }, limit: 1, action: 'delete' })).toMatchObject({ matched: 2, truncated: true })
    expect((await apply({ search: { query: 'boiling point of tungsten' }, limit: 10, action: 'delete' })).matched).toBe(0)
    for (const target of [
      {},
      { keys: ['a'], filter: { key_prefix: 'x' }, limit: 1 },
      { filter: {}, limit: 1 },
      { search: { query: ' ' }, limit: 1 },
    ]) {
      await refused(apply({ ...target, action: 'delete' }), 'INVALID_ARGUMENT')
    }
  })

  it('narrows by every field of the filter [CHG055]', async () => {
    const started = new Date(now - 60_000).toISOString()
    const ahead = new Date(now + 60_000).toISOString()
    const cases: [object, string[]][] = [
      [{ tags_any: ['kitchen', 'nope'] }, ['scratch/a']],
      [{ tags_all: ['scratch', 'kitchen'] }, ['scratch/a']],
      [{ memory_type: 'episodic' }, ['note/c']],
      [{ key_prefix: 'scratch/' }, ['scratch/a', 'scratch/b']],
      [{ created_before: started }, []],
      [{ created_before: ahead, created_after: started }, ['note/c', 'scratch/a', 'scratch/b']],
      [{ confidence_lte: 0.5 }, ['scratch/a']],
      [{ source_trace: 'wiki/7' }, ['scratch/b']],
      [{ key_prefix: 'scratch/', confidence_lte: 0.95, tags_all: ['scratch'], source_trace: 'wiki/7' }, ['scratch/b']],
    ]
    for (const [filter, keys] of cases) {
      const answer = await apply({ filter, limit: 10, action: 'delete' })
      expect(keysOf(answer), JSON.stringify(filter)).toEqual(keys)
      expect(answer.rows.every((row) => row.outcome === 'would_apply')).toBe(true)
    }
    await refused(apply({ filter: { tag: 'x' }, limit: 10, action: 'delete' }), 'INVALID_ARGUMENT')
  })

  it('wants a limit with filter and search, of at most 1,000 [CHG043]', async () => {
    for (const target of [{ filter: { key_prefix: 'scratch/' } }, { search: { query: 'ferns' } }]) {
      for (const limit of [undefined, 0, 1001]) {
        expect((await refused(apply({ ...target, limit, action: 'delete' }), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'limit' })
      }
    }
    await refused(apply({ keys: Array.from({ length: 1001 }, (_, at) => `k${at}`), action: 'delete' }), 'INVALID_ARGUMENT')
  })

  it('deletes, as a version and an audit row each, and restore undoes it [CHG044]', async () => {
    await loom.call('memory.pin', { namespace, memory_key: 'scratch/b', value: VALUES['scratch/b'] })
    const before = await countStores(loom.database)
    const answer = await apply({ filter: { key_prefix: 'scratch/' }, limit: 10, action: 'delete', dry_run: false })
    expect(answer).toMatchObject({ dry_run: false, totals: { applied: 2, would_apply: 0, refused: 0 } })
    expect(await countStores(loom.database)).toMatchObject({ versions: before.versions + 2, audit: before.audit + 2 })
    expect(await get('scratch/a')).toMatchObject({ found: false, reason: 'deleted' })
    expect(await get('scratch/a', { agent: 'other' })).toMatchObject({ found: true })
    expect((await loom.call('memory.search', { namespace, query: 'ferns water' })).results).toEqual([])
    expect(await loom.call('memory.restore', { namespace, memory_key: 'scratch/b' })).toMatchObject({ restored: true })
  })

  it('sets an expiry and locks without a version [CHG044, CHG055]', async () => {
    const before = await countStores(loom.database)
    await apply({ keys: ['scratch/a'], action: 'expire', expire: { ttl_seconds: 60, on_expire: 'demote' }, dry_run: false })
    expect(await get('scratch/a')).toMatchObject({ expires_at: new Date(now + 60_000).toISOString(), on_expire: 'demote' })
    const until = new Date(now + 90_000).toISOString()
    await apply({ keys: ['scratch/a'], action: 'expire', expire: { until }, dry_run: false })
    expect(await get('scratch/a')).toMatchObject({ expires_at: until, on_expire: 'demote' })

    const lock = { keys: ['scratch/b'], action: 'lock', lock: { mode: 'no_delete', until }, dry_run: false }
    expect((await apply(lock)).totals).toMatchObject({ applied: 1 })
    expect(await get('scratch/b')).toMatchObject({ lock: { mode: 'no_delete', reason: 'tidy up', until } })
    expect((await apply(lock)).totals).toMatchObject({ applied: 0, unchanged: 1 })
    expect((await apply({ keys: ['scratch/a'], action: 'lock', dry_run: false })).totals).toMatchObject({ applied: 1 })
    expect(await get('scratch/a')).toMatchObject({ lock: { mode: 'read_only', until: null } })
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 4 })
  })

  it('changes tags as a new version, which search follows [CHG044, CHG055]', async () => {
    const label = (tags: string[], mode?: string) =>
      apply({ keys: ['scratch/a'], action: 'label', label: { tags, ...(mode && { mode }) }, dry_run: false })
    const before = await countStores(loom.database)
    expect((await label(['Keep', 'KITCHEN'])).totals).toMatchObject({ applied: 1 })
    expect(await get('scratch/a')).toMatchObject({ tags: ['Scratch', 'kitchen', 'Keep'], status: 'active', value: VALUES['scratch/a'] })
    expect((await label(['keep'])).totals).toMatchObject({ unchanged: 1 })
    const find = () => loom.call('memory.search', { namespace, query: 'what is broken in the kitchen', tags: ['keep'] })
    expect((await find()).results.map((hit) => hit.memory_key)).toEqual(['scratch/a'])
    await label(['KEEP', 'scratch'], 'remove')
    expect((await get('scratch/a')).tags).toEqual(['kitchen'])
    expect((await find()).results).toEqual([])
    await label(['only', 'Only'], 'replace')
    expect((await get('scratch/a')).tags).toHaveLength(1)
    expect(await countStores(loom.database)).toMatchObject({ versions: before.versions + 3, audit: before.audit + 3, pairs: before.pairs })
    const many = await label(Array.from({ length: 64 }, (_, at) => `t${at}`))
    expect(many.rows).toMatchObject([{ outcome: 'refused', code: 'INVALID_ARGUMENT' }])
  })

  it('lowers the confidence by factor or by delta [CHG044, CHG055]', async () => {
    const demote = (block: object) => apply({ keys: ['scratch/a'], action: 'demote', demote: block, dry_run: false })
    await demote({ confidence_factor: 0.5 })
    expect(await get('scratch/a')).toMatchObject({ confidence: 0.25 })
    await demote({ confidence_delta: 0.75 })
    expect(await get('scratch/a')).toMatchObject({ confidence: 0 })
    expect((await demote({ confidence_delta: 0.1 })).totals).toMatchObject({ unchanged: 1 })
    for (const block of [{}, { confidence_factor: 1 }, { confidence_delta: 0 }, { confidence_factor: 0.5, confidence_delta: 0.1 }]) {
      await refused(demote(block), 'INVALID_ARGUMENT')
    }
  })

  it('takes no other action, no missing reason, and no block of another action [CHG045]', async () => {
    const keys = ['scratch/a']
    await refused(apply({ keys, action: 'merge' }), 'INVALID_ARGUMENT')
    expect((await refused(apply({ keys, action: 'delete', reason: undefined }), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'reason' })
    await refused(apply({ keys, action: 'delete', reason: '' }), 'INVALID_ARGUMENT')
    await refused(apply({ keys, action: 'delete', label: { tags: ['x'] } }), 'INVALID_ARGUMENT')
    for (const action of ['expire', 'label', 'demote']) await refused(apply({ keys, action }), 'INVALID_ARGUMENT')
    await refused(apply({ keys, action: 'expire', expire: { ttl_seconds: 5, until: '2999-01-01' } }), 'INVALID_ARGUMENT')
    await refused(apply({ keys, action: 'lock', lock: { until: '2000-01-01' } }), 'INVALID_ARGUMENT')
  })

  it('passes each row through its own guards, and a refused one fails no other [CHG046]', async () => {
    await loom.call('memory.lock', { namespace, memory_key: 'scratch/b', reason: 'audit' })
    const keys = ['scratch/a', 'scratch/b', 'note/c']
    const actions = [
      { action: 'label', label: { tags: ['seen'] } },
      { action: 'demote', demote: { confidence_factor: 0.5 } },
      { action: 'expire', expire: { ttl_seconds: 600 } },
      { action: 'delete' },
    ]
    for (const action of actions) {
      const answer = await apply({ keys, ...action, dry_run: false })
      expect(answer.totals, JSON.stringify(action)).toEqual({ would_apply: 0, applied: 2, unchanged: 0, refused: 1 })
      expect(answer.rows[1]).toMatchObject({ memory_key: 'scratch/b', outcome: 'refused', code: 'LOCKED' })
    }
    expect(await get('scratch/b')).toMatchObject({ found: true, tags: ['scratch'], confidence: 0.9, expires_at: null })
  })

  it('refuses agent * [CHG047]', async () => {
    expect((await refused(apply({ agent: '*', keys: ['scratch/a'], action: 'delete' }), 'INVALID_ARGUMENT')).fields).toEqual({
      field: 'agent',
    })
    expect(keysOf(await apply({ agent: 'other', filter: { key_prefix: 's' }, limit: 5, action: 'delete' }))).toEqual(['scratch/a'])
  })
})
