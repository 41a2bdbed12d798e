import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('taking a namespace back', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (namespace: string, memory_key: string, value: unknown, more: object = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more } as never)
  const get = async (namespace: string, memory_key: string) =>
    (await loom.call('memory.get', { namespace, memory_key })) as Record<string, unknown>
  const keys = async (namespace: string, query: string) =>
    (await loom.call('memory.search', { namespace, query })).results.map((hit) => hit.memory_key)
  const tick = (): string => {
    now += 60_000
    return new Date(now).toISOString()
  }

  /** Five rows, then a time, then everything that can happen to them. */
  async function story(namespace: string): Promise<string> {
    await set(namespace, 'revised', 'The kiln is fired on Mondays.', { tags: ['kiln'], confidence: 0.9 })
    await set(namespace, 'deleted', 'The glaze is kept in the cellar.')
    await set(namespace, 'same', 'The clay comes from the river bank.')
    await set(namespace, 'pinned', 'The workshop closes at six.', { pinned: true })
    await set(namespace, 'locked', 'The wheel belongs to the guild.')
    const to = new Date(now).toISOString()
    tick()
    await loom.call('memory.update', { namespace, memory_key: 'revised', value: 'The furnace room smells of pine.', tags: [] })
    await loom.call('memory.delete', { namespace, memory_key: 'deleted' })
    await loom.call('memory.update', { namespace, memory_key: 'pinned', value: 'The workshop has three windows.' })
    await loom.call('memory.update', { namespace, memory_key: 'locked', value: 'Every apprentice signs the book.' })
    await loom.call('memory.lock', { namespace, memory_key: 'locked', mode: 'read_only', reason: 'hold' })
    await set(namespace, 'born', 'A heron nests on the chimney.')
    tick()
    return to
  }

  it('says first what it would do, and changes nothing', async () => {
    const to = await story('dry')
    const before = await countStores(loom.database)
    const would = await loom.call('namespace.rollback', { namespace: 'dry', to, reason: 'a look' })
    expect(would).toMatchObject({
      dry_run: true,
      revised: 1,
      tombstoned: 1,
      restored: 1,
      unchanged: 1,
      refused_count: 2,
      before_snapshot_id: null,
    })
    expect(new Map(would.refused.map(({ memory_key, code }) => [memory_key, code]))).toEqual(
      new Map([
        ['locked', 'LOCKED'],
        ['pinned', 'PINNED_CONFLICT'],
      ]),
    )
    expect(would.changes.find((change) => change.memory_key === 'revised')).toMatchObject({
      change: 'revised',
      excerpt_now: 'The furnace room smells of pine.',
      excerpt_then: 'The kiln is fired on Mondays.',
    })
    expect(await countStores(loom.database)).toEqual(before)
  })

  it('[CHG048] writes past values as new versions, revives, retires, and can itself be undone', async () => {
    const to = await story('real')
    const before = await countStores(loom.database)
    const done = await loom.call('namespace.rollback', { namespace: 'real', to, reason: 'bad import', dry_run: false })
    expect(done).toMatchObject({ dry_run: false, revised: 1, tombstoned: 1, restored: 1, unchanged: 1, refused_count: 2 })
    expect(await get('real', 'revised')).toMatchObject({
      value: 'The kiln is fired on Mondays.',
      tags: ['kiln'],
      confidence: 0.9,
      status: 'active',
    })
    expect(await get('real', 'deleted')).toMatchObject({ found: true, status: 'active', tombstoned_at: null })
    expect(await get('real', 'born')).toMatchObject({ found: false, reason: 'deleted' })
    expect(await get('real', 'pinned')).toMatchObject({ value: 'The workshop has three windows.', pinned: true })
    expect(await keys('real', 'kiln fired Mondays')).toContain('revised')
    expect(await keys('real', 'heron chimney')).not.toContain('born')
    const after = await countStores(loom.database)
    // One audit row for each changed row, and one for the snapshot taken before.
    expect([after.versions - before.versions, after.audit - before.audit]).toEqual([3, 4])
    const { rows } = await loom.call('memory.history', { namespace: 'real', memory_key: 'revised' })
    expect(rows.map((row) => row.op)).toEqual(['namespace.rollback', 'memory.update', 'memory.set'])

    expect(await loom.call('namespace.rollback', { namespace: 'real', to, reason: 'again', dry_run: false })).toMatchObject({
      revised: 0,
      tombstoned: 0,
      restored: 0,
      before_snapshot_id: null,
    })
    const { snapshots } = await loom.call('namespace.snapshots', { namespace: 'real' })
    expect(snapshots).toMatchObject([{ snapshot_id: done.before_snapshot_id, automatic: true, note: 'bad import' }])
    const undone = await loom.call('namespace.restore', {
      namespace: 'real',
      snapshot_id: done.before_snapshot_id ?? '',
      reason: 'undo',
      dry_run: false,
    })
    expect(undone).toMatchObject({ revised: 1, tombstoned: 1, restored: 1 })
    expect(await get('real', 'revised')).toMatchObject({ value: 'The furnace room smells of pine.' })
    expect(await get('real', 'born')).toMatchObject({ found: true })
    expect(await get('real', 'deleted')).toMatchObject({ reason: 'deleted' })
  })

  it('takes back only the keys named, and refuses a time ahead, both targets and an unknown snapshot', async () => {
    const to = await story('some')
    const some = { namespace: 'some', to, reason: 'one key', dry_run: false }
    expect(await loom.call('namespace.rollback', { ...some, keys: ['born'] })).toMatchObject({ tombstoned: 1, revised: 0 })
    expect(await loom.call('namespace.rollback', { ...some, key_prefix: 'revi' })).toMatchObject({ revised: 1, tombstoned: 0 })
    await refused(loom.call('namespace.rollback', { ...some, to: new Date(now + 1000).toISOString() }), 'INVALID_ARGUMENT')
    await refused(loom.call('namespace.rollback', { ...some, keys: ['a'], key_prefix: 'a' }), 'INVALID_ARGUMENT')
    await refused(loom.call('namespace.restore', { namespace: 'some', snapshot_id: 'none', reason: 'x' }), 'NOT_FOUND')
  })

  it('brings back no value that is blocked by now, and none that was scrubbed', async () => {
    const first = await set('blocked', 'note', 'The password hint is zanzibar.', { sensitivity: 'low' })
    await set('blocked', 'scrubbed', 'The old gate code was four threes.', { sensitivity: 'low' })
    const to = new Date(now).toISOString()
    const { version } = await loom.call('memory.get', { namespace: 'blocked', memory_key: 'scrubbed' })
    tick()
    await set('blocked', 'note', 'There is no hint any more.')
    await set('blocked', 'scrubbed', 'The gate has a keypad.')
    await loom.call('blacklist.add', { namespace: 'blocked', pattern: 'zanzibar' })
    await loom.call('memory.redact', { namespace: 'blocked', memory_key: 'scrubbed', version: version!, reason: 'a code' })
    tick()
    const done = await loom.call('namespace.rollback', { namespace: 'blocked', to, reason: 'x', dry_run: false })
    expect(new Map(done.refused.map(({ memory_key, code }) => [memory_key, code]))).toEqual(
      new Map([
        ['note', 'BLACKLISTED'],
        ['scrubbed', 'REDACTED'],
      ]),
    )
    expect(await get('blocked', 'note')).toMatchObject({ memory_id: first.memory_id, value: 'There is no hint any more.' })
  })

  it('names points in time, once each, newest first', async () => {
    await set('named', 'a', 'One row to count in the snapshot.')
    const made = await loom.call('namespace.snapshot', { namespace: 'named', name: 'before the move', note: 'spring' })
    expect(made).toMatchObject({ name: 'before the move', counts: { by_status: { active: 1 } } })
    expect(made.version_text).toBe(made.version.toString())
    await refused(loom.call('namespace.snapshot', { namespace: 'named', name: 'before the move' }), 'ALREADY_EXISTS')
    tick()
    const timed = await loom.call('namespace.snapshot', { namespace: 'named' })
    expect(timed.name).toBe(new Date(now).toISOString())
    const { snapshots } = await loom.call('namespace.snapshots', { namespace: 'named' })
    expect(snapshots.map((snapshot) => [snapshot.name, snapshot.note, snapshot.automatic])).toEqual([
      [timed.name, '', false],
      ['before the move', 'spring', false],
    ])
    const page = await loom.call('namespace.snapshots', { namespace: 'named', limit: 1 })
    expect(
      (await loom.call('namespace.snapshots', { namespace: 'named', limit: 1, cursor: page.next_cursor ?? '' })).snapshots,
    ).toMatchObject([{ name: 'before the move' }])
  })
})
