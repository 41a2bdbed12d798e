import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf, OutputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores } from '../../helpers/store-counts.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'
const DAY = 24 * 3600 * 1000

let loom: TestEngine
let now = Date.now()
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => now })
})
afterAll(() => loom.close())

/** A namespace with one contradiction: ops/deploys stands against deploy/window/prod. */
async function contradiction(row: Partial<CallInputOf<'memory.set'>> = {}, peer: Partial<CallInputOf<'memory.set'>> = {}) {
  const namespace = `c${++spaces}`
  const set = (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more })
  await set('deploy/window/prod', HELD, peer)
  await set('ops/deploys', AGAINST, { tags: ['deploy'], entities: ['production'], confidence: 0.8, ...row })
  const get = async (memory_key: string) => {
    const read = await loom.call('memory.get', { namespace, memory_key })
    const { version: _v, version_text: _t, updated_at: _u, served_count: _s, ...rest } = read
    return rest
  }
  const list = (more: Partial<CallInputOf<'conflicts.list'>> = {}) => loom.call('conflicts.list', { namespace, ...more })
  const resolve = (
    resolution: CallInputOf<'conflicts.resolve'>['resolution'],
    more: Partial<CallInputOf<'conflicts.resolve'>> = {},
  ): Promise<OutputOf<'conflicts.resolve'>> =>
    loom.call('conflicts.resolve', { namespace, ...(more.pair_id === undefined ? { memory_key: 'ops/deploys' } : {}), resolution, ...more })
  return { namespace, set, get, list, resolve }
}

describe('conflicts.list', () => {
  it('shows both sides, what the judge said, and how many there are', async () => {
    const { list, namespace } = await contradiction()
    const { pairs, total, next_cursor } = await list()
    expect([total, next_cursor]).toEqual([1, null])
    expect(pairs[0]).toMatchObject({
      kind: 'conflict', state: 'open', relation: 'contradicts', origin: 'write', resolution: null, undo_until: null,
      row: { memory_key: 'ops/deploys', value: AGAINST, status: 'conflicted', namespace, tags: ['deploy'], pinned: false, locked: false },
      peer: { memory_key: 'deploy/window/prod', value: HELD, status: 'active' },
    }) // prettier-ignore
    expect(pairs[0]?.pair_id).toBe(
      `p_${[pairs[0]?.row.memory_id ?? '', pairs[0]?.peer.memory_id ?? ''].sort((a, b) => (a < b ? -1 : 1)).join('_')}`,
    )
    expect((await list({ memory_key: 'deploy/window/prod' })).total).toBe(1)
    expect((await list({ memory_key: 'other' })).pairs).toEqual([])
    expect((await list({ agent: 'somebody' })).total).toBe(0)
    expect((await list({ origin: 'sync' })).total).toBe(0)
  })

  it('pages, and lists no pair whose side is gone', async () => {
    const { list, set, namespace } = await contradiction()
    await set('ops/deploys/two', 'Production deploys run on Mondays only.')
    const first = await list({ limit: 1 })
    expect(first.total).toBeGreaterThan(1)
    const second = await list({ limit: 1, cursor: first.next_cursor ?? '' })
    expect(second.pairs[0]?.pair_id).not.toBe(first.pairs[0]?.pair_id)
    await expect(list({ limit: 1, cursor: first.next_cursor ?? '', state: 'all' })).rejects.toMatchObject({ code: 'INVALID_CURSOR' })
    await loom.call('memory.delete', { namespace, memory_key: 'deploy/window/prod' })
    expect((await list()).pairs.filter((pair) => pair.peer.memory_key === 'deploy/window/prod')).toEqual([])
    expect((await list({ state: 'all' })).total).toBe(first.total)
  })
})

describe('conflicts.resolve', () => {
  it('keep_peer: the row is tombstoned, the peer stays, and asking again is no news [VER018]', async () => {
    const { resolve, get, list, namespace } = await contradiction()
    const before = await countStores(loom.database)
    const done = await resolve('keep_peer', { reason: 'the policy page says so' })
    expect(done).toMatchObject({
      found: true,
      resolved: true,
      noop: false,
      open_left: 0,
      kept: [{ memory_key: 'deploy/window/prod', status: 'active' }],
      tombstoned: { memory_key: 'ops/deploys' },
    })
    expect(done.undo).toEqual({ op: 'conflicts.resolve', arguments: { namespace, pair_id: done.pair_id, resolution: 'reopen' } })
    expect(await get('ops/deploys')).toMatchObject({ found: false, reason: 'deleted' })
    expect((await countStores(loom.database)).audit - before.audit).toBe(1)
    expect((await list()).total).toBe(0)
    expect((await list({ state: 'settled' })).pairs[0]).toMatchObject({
      resolution: 'keep_peer',
      settled_by: 'human:local',
      state: 'settled',
    })
    expect(await resolve('keep_peer')).toMatchObject({ resolved: true, noop: true, pair_id: done.pair_id })
    expect(await resolve('keep_row')).toMatchObject({ found: true, resolved: false, reason: 'settled' })
    const found = await loom.call('memory.search', { namespace, query: 'when do production deploys run' })
    expect(found.results.map((hit) => hit.memory_key)).toEqual(['deploy/window/prod'])
  })

  it('keep_row: the peer is tombstoned and the row becomes active [VER018]', async () => {
    const { resolve, get } = await contradiction()
    expect(await resolve('keep_row')).toMatchObject({
      resolved: true,
      kept: [{ memory_key: 'ops/deploys', status: 'active' }],
      tombstoned: { memory_key: 'deploy/window/prod' },
    })
    expect(await get('ops/deploys')).toMatchObject({ found: true, status: 'active', conflict_verdict: 'conflict' })
    expect(await get('deploy/window/prod')).toMatchObject({ found: false })
  })

  it('keep_both: both live, and the pair is not raised again for these two contents', async () => {
    const { resolve, get, set, list } = await contradiction()
    expect(await resolve('keep_both')).toMatchObject({
      resolved: true,
      tombstoned: null,
      kept: [{ status: 'active' }, { status: 'active' }],
    })
    await loom.engine.runDueJobs(new Date(now + DAY))
    expect(await get('ops/deploys')).toMatchObject({ status: 'active' })
    // The same words again under other tags are judged again, and the agreement holds.
    expect(await set('ops/deploys', AGAINST, { tags: ['other'] })).toMatchObject({ conflict_verdict: 'clear', status: 'active' })
    expect((await list()).total).toBe(0)
    expect(await set('ops/deploys', 'Production deploys run on Mondays only.')).toMatchObject({ conflict_verdict: 'conflict' })
  })

  it('merge: the value is written at the peer, pin and tags stay, and the row goes', async () => {
    const { resolve, get } = await contradiction({}, { tags: ['policy'] })
    const value = 'Production deploys run Monday to Thursday, except in December.'
    const done = await resolve('merge', { value })
    expect(done).toMatchObject({
      resolved: true,
      kept: [{ memory_key: 'deploy/window/prod', status: 'active' }],
      tombstoned: { memory_key: 'ops/deploys' },
    })
    expect(await get('deploy/window/prod')).toMatchObject({ value, tags: ['policy'], conflict_verdict: 'clear' })
    expect(await resolve('merge', { value })).toMatchObject({ resolved: true, noop: true })
    expect(await resolve('merge', { value: 'Something else.' })).toMatchObject({ resolved: false, reason: 'settled' })
  })

  it.each(['keep_row', 'keep_peer', 'keep_both', 'merge'] as const)('reopen puts %s back to the same bytes', async (resolution) => {
    const { resolve, get, list, namespace } = await contradiction()
    await loom.call('memory.lock', {
      namespace,
      memory_key: resolution === 'keep_row' ? 'ops/deploys' : 'deploy/window/prod',
      mode: 'no_delete',
      reason: 'kept',
    })
    const before = [await get('ops/deploys'), await get('deploy/window/prod')]
    const vectors = () => loom.database.reader.selectFrom('memory_embedding').selectAll().orderBy('memory_id').orderBy('axis').execute()
    // Those of the keys too.
    await loom.engine.runDueJobs()
    const vectorsBefore = await vectors()
    const done = await resolve(resolution, resolution === 'merge' ? { value: 'Production deploys run on any weekday.' } : {})
    expect(done.resolved).toBe(true)
    const back = await loom.call('conflicts.resolve', { namespace, pair_id: done.pair_id, resolution: 'reopen' })
    expect(back).toMatchObject({ resolved: true, noop: false, tombstoned: null, undo: null })
    expect([await get('ops/deploys'), await get('deploy/window/prod')]).toEqual(before)
    expect(await vectors()).toEqual(vectorsBefore)
    expect((await list()).pairs[0]).toMatchObject({ pair_id: done.pair_id, state: 'open', resolution: null })
    const hits = await loom.call('memory.search', { namespace, query: 'when do production deploys run' })
    expect(hits.results.map((hit) => hit.memory_key).sort()).toEqual(['deploy/window/prod', 'ops/deploys'])
    expect(await resolve('reopen')).toMatchObject({ resolved: true, noop: true })
  })

  it('reopen is refused once a row was written since, and after 14 days', async () => {
    const one = await contradiction()
    const first = await one.resolve('keep_row')
    await one.set('ops/deploys', 'Production deploys run whenever Kim says so.')
    await expect(one.resolve('reopen', { pair_id: first.pair_id })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    const two = await contradiction()
    const second = await two.resolve('keep_peer')
    now += 14 * DAY + 1000
    await expect(two.resolve('reopen', { pair_id: second.pair_id })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
  })

  it('stays conflicted while other pairs are open', async () => {
    const { resolve, get, set, namespace, list } = await contradiction()
    await loom.call('conflicts.resolve', { namespace, memory_key: 'ops/deploys', resolution: 'keep_both' })
    await set('third', 'Production deploys run on Saturdays and Sundays only.')
    const open = (await list()).pairs
    expect(open.map((pair) => pair.peer.memory_key).sort()).toEqual(['deploy/window/prod', 'ops/deploys'])
    await expect(resolve('keep_row', { memory_key: 'third' })).rejects.toMatchObject({
      code: 'AMBIGUOUS_KEY',
      fields: { candidates: [{ pair_id: expect.any(String) }, {}] },
    })
    expect(await resolve('keep_row', { memory_key: 'third', peer_key: 'ops/deploys' })).toMatchObject({
      open_left: 1,
      kept: [{ memory_key: 'third', status: 'conflicted' }],
    })
    expect(await resolve('keep_row', { memory_key: 'third' })).toMatchObject({ open_left: 0, kept: [{ status: 'active' }] })
    expect(await get('third')).toMatchObject({ status: 'active' })
  })

  it('a locked side is not dropped, nor a pinned one, nor is a locked one merged into', async () => {
    const { resolve, namespace } = await contradiction({}, {})
    await loom.call('memory.lock', { namespace, memory_key: 'ops/deploys', mode: 'no_delete', reason: 'audit' })
    await expect(resolve('keep_peer')).rejects.toMatchObject({ code: 'LOCKED' })
    await loom.call('memory.unlock', { namespace, memory_key: 'ops/deploys' })
    await loom.call('memory.lock', { namespace, memory_key: 'deploy/window/prod', reason: 'audit' })
    await expect(resolve('merge', { value: 'Deploys run on any weekday.' })).rejects.toMatchObject({ code: 'LOCKED' })
    await loom.call('memory.unlock', { namespace, memory_key: 'deploy/window/prod' })
    await loom.call('memory.pin', { namespace, memory_key: 'deploy/window/prod', value: HELD })
    await expect(resolve('keep_row')).rejects.toMatchObject({ code: 'PINNED_CONFLICT' })
  })

  it('checks hashes, arguments and names nothing that is not there', async () => {
    const { resolve, namespace, get, list } = await contradiction()
    await expect(resolve('keep_row', { if_match_sha256: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'PRECONDITION_FAILED',
      fields: { current_sha256: (await get('ops/deploys')).content_sha256 },
    })
    await expect(resolve('keep_row', { peer_if_match_sha256: 'f'.repeat(64) })).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    await expect(resolve('merge')).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'value' } })
    await expect(resolve('keep_row', { value: 'x' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(loom.call('conflicts.resolve', { namespace, resolution: 'keep_row' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    expect(await resolve('keep_row', { memory_key: 'no/such' })).toMatchObject({ found: false, resolved: false, reason: 'not_found' })
    const dry = await resolve('keep_row', { dry_run: true })
    expect(dry).toMatchObject({
      resolved: true,
      dry_run: true,
      undo: null,
      kept: [{ status: 'active' }],
      tombstoned: { memory_key: 'deploy/window/prod' },
    })
    expect((await list()).total).toBe(1)
    await loom.call('memory.delete', { namespace, memory_key: 'deploy/window/prod' })
    expect(await resolve('keep_row')).toMatchObject({ found: true, resolved: false, reason: 'stale' })
  })
})
