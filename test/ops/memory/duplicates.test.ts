import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores, reinforcementOf } from '../../helpers/store-counts.ts'

const TEXT = 'The archive is rebuilt every night.'

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

/** A namespace where `copies` runs have stored the fact that the key fact/0 holds: each is a duplicate of it. */
async function duplicated(copies = 1) {
  const namespace = `d${++spaces}`
  const set = (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more })
  const canonical = await set('fact/0', TEXT, { run_id: 'run-0' })
  const duplicates = []
  for (let at = 1; at <= copies; at++) duplicates.push(await set(`fact/${at}`, TEXT, { run_id: `run-${at}` }))
  const get = async (memory_key: string) => {
    const {
      version: _v,
      version_text: _t,
      updated_at: _u,
      served_count: _s,
      ...row
    } = await loom.call('memory.get', { namespace, memory_key })
    return row
  }
  const settle = (keep: CallInputOf<'memory.dedup_resolve'>['keep'], more: Partial<CallInputOf<'memory.dedup_resolve'>> = {}) =>
    loom.call('memory.dedup_resolve', { namespace, memory_key: 'fact/1', keep, ...more })
  const search = async () =>
    (await loom.call('memory.search', { namespace, query: 'how often is the archive rebuilt' })).results.map((hit) => hit.memory_key)
  return { namespace, set, get, settle, search, canonical, duplicates }
}

describe('memory.dedup_resolve', () => {
  it('canonical: the duplicate is tombstoned, and its counters go to the canonical row [VER018]', async () => {
    const { settle, get, set, canonical, duplicates } = await duplicated()
    await set('fact/1', TEXT, { run_id: 'run-1' })
    await set('fact/1', TEXT, { run_id: 'run-1' })
    const done = await settle('canonical')
    expect(done).toMatchObject({ resolved: true, kept: [{ memory_key: 'fact/0', status: 'active' }], tombstoned: { memory_key: 'fact/1' } })
    expect(await get('fact/1')).toMatchObject({ found: false, reason: 'deleted' })
    expect(await reinforcementOf(loom.database, canonical.memory_id)).toBe(2)
    expect(await reinforcementOf(loom.database, duplicates[0]?.memory_id ?? '')).toBe(0)
    expect(await settle('canonical')).toMatchObject({ resolved: true, noop: true })
    expect(await settle('duplicate')).toMatchObject({ resolved: false, reason: 'settled' })
  })

  it('duplicate: it becomes active, the canonical row goes, and the other duplicates name it [VER018]', async () => {
    const { settle, get, duplicates } = await duplicated(2)
    expect(await settle('duplicate')).toMatchObject({
      kept: [{ memory_key: 'fact/1', status: 'active' }],
      tombstoned: { memory_key: 'fact/0' },
    })
    expect(await get('fact/1')).toMatchObject({ status: 'active', duplicate_of: '', canonical_key: '' })
    expect(await get('fact/2')).toMatchObject({ status: 'duplicate', duplicate_of: duplicates[0]?.memory_id, canonical_key: 'fact/1' })
  })

  it('both: the duplicate becomes active, nothing goes', async () => {
    const { settle, get } = await duplicated()
    expect(await settle('both')).toMatchObject({
      tombstoned: null,
      kept: [
        { memory_key: 'fact/1', status: 'active' },
        { memory_key: 'fact/0', status: 'active' },
      ],
    })
    expect(await get('fact/1')).toMatchObject({ status: 'active' })
  })

  it('is undone by reopening the pair, counters and names included', async () => {
    const { settle, get, set, namespace, canonical, duplicates } = await duplicated(2)
    await set('fact/0', TEXT, { run_id: 'run-0' })
    const before = [await get('fact/0'), await get('fact/1'), await get('fact/2')]
    const { undo } = await settle('duplicate')
    expect(await reinforcementOf(loom.database, duplicates[0]?.memory_id ?? '')).toBe(1)
    await loom.call('conflicts.resolve', undo?.arguments as { pair_id: string; resolution: 'reopen' })
    expect([await get('fact/0'), await get('fact/1'), await get('fact/2')]).toEqual(before)
    expect(await reinforcementOf(loom.database, canonical.memory_id)).toBe(1)
    expect((await loom.call('review.queue', { namespace })).counts).toMatchObject({ duplicate: 2 })
  })

  it('a row that is no duplicate is not found', async () => {
    const { settle } = await duplicated()
    expect(await settle('canonical', { memory_key: 'fact/0' })).toMatchObject({ found: false, reason: 'not_found' })
  })
})

describe('memory.resolve_orphan_duplicates', () => {
  it('makes the most reinforced orphan active, and the others name it [VER016]', async () => {
    const { namespace, get, set, duplicates } = await duplicated(3)
    await set('fact/2', TEXT, { run_id: 'run-2' })
    await loom.call('memory.delete', { namespace, memory_key: 'fact/0' })
    const dry = await loom.call('memory.resolve_orphan_duplicates', { namespace, dry_run: true })
    expect(dry).toMatchObject({ count: 1, reactivated: [{ memory_key: 'fact/2' }], dry_run: true })
    expect(await get('fact/2')).toMatchObject({ status: 'duplicate' })
    const before = await countStores(loom.database)
    expect(await loom.call('memory.resolve_orphan_duplicates', { namespace })).toMatchObject({
      count: 1,
      truncated: false,
      reactivated: [{ memory_key: 'fact/2' }],
    })
    expect((await countStores(loom.database)).audit - before.audit).toBe(3)
    expect(await get('fact/2')).toMatchObject({ status: 'active', duplicate_of: '' })
    expect(await get('fact/1')).toMatchObject({ status: 'duplicate', duplicate_of: duplicates[1]?.memory_id, canonical_key: 'fact/2' })
    expect((await loom.call('memory.resolve_orphan_duplicates', { namespace })).count).toBe(0)
    expect(await loom.call('memory.dedup_resolve', { namespace, memory_key: 'fact/3', keep: 'canonical' })).toMatchObject({
      resolved: true,
      kept: [{ memory_key: 'fact/2' }],
    })
  })

  it('a canonical row that was superseded passes its duplicates to its successor [VER016]', async () => {
    const { namespace, set, get } = await duplicated(1)
    await loom.call('namespace.register', { namespace, default_conflict_policy: 'newest_wins' })
    const newer = await set('fact/new', 'The archive is never rebuilt at night.')
    expect(await get('fact/0')).toMatchObject({ status: 'superseded' })
    expect((await loom.call('memory.resolve_orphan_duplicates', { namespace })).count).toBe(0)
    expect(await get('fact/1')).toMatchObject({ status: 'duplicate', duplicate_of: newer.memory_id, canonical_key: 'fact/new' })
  })

  it('is for admins that are bound to no user', async () => {
    const { namespace } = await duplicated()
    const claims = {
      token_id: 't',
      subject: 'w',
      kind: 'human' as const,
      org: 'dev',
      grants: { '*': 'writer' as const },
      agent: '',
      user_id: '',
      own_session: false,
      session_id: '',
      device_id: '',
      expires_at: null,
    }
    await expect(loom.call('memory.resolve_orphan_duplicates', { namespace }, { claims })).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(
      loom.call('memory.dedup_collapse', { namespace }, { claims: { ...claims, grants: { '*': 'admin' }, user_id: 'u1' } }),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })
})

describe('memory.dedup_collapse', () => {
  it('shows equal rows as one result, and changes no row [VER017]', async () => {
    const namespace = `d${++spaces}`
    const set = (memory_key: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
      loom.call('memory.set', { namespace, memory_key, value: TEXT, ...more })
    // Rows of two users: neither is a peer of the other, so both are active.
    const first = await set('fact/a', { user_id: 'u1' })
    await set('fact/b', { user_id: 'u2' })
    await set('db/staging/archive', { user_id: 'u3' })
    await set('db/prod/archive', { user_id: 'u4' })
    const search = async (more: Partial<CallInputOf<'memory.search'>> = {}) =>
      (await loom.call('memory.search', { namespace, query: 'how often is the archive rebuilt', ...more })).results
        .map((hit) => hit.memory_key)
        .sort()
    expect(await search()).toEqual(['db/prod/archive', 'db/staging/archive', 'fact/a', 'fact/b'])
    const rows = () =>
      loom.database.reader.selectFrom('memory').selectAll().where('namespace', '=', namespace).orderBy('memory_id').execute()
    const [before, counts] = [await rows(), await countStores(loom.database)]
    const dry = await loom.call('memory.dedup_collapse', { namespace, dry_run: true })
    expect(await search()).toHaveLength(4)
    const done = await loom.call('memory.dedup_collapse', { namespace })
    expect(dry).toEqual({ ...done, dry_run: true })
    // Staging and production are two facts, whatever their text.
    expect(done.groups).toHaveLength(1)
    expect(done.groups[0]?.canonical).toMatchObject({ memory_key: 'fact/a', memory_id: first.memory_id })
    expect([await rows(), await countStores(loom.database)]).toEqual([before, counts])
    expect(await search()).toEqual(['db/prod/archive', 'fact/a'])
    // Where the canonical row is out of scope, a member stands for itself.
    expect(await search({ user_id: 'u2' })).toEqual(['fact/b'])
    expect((await loom.call('memory.dedup_collapse', { namespace })).collapsed).toBe(0)
    // A later write of a member takes it out of its group.
    await set('fact/b', { user_id: 'u2', tags: ['again'] })
    expect(await search()).toContain('fact/b')
    await loom.call('memory.dedup_collapse', { namespace })
    expect(await loom.call('memory.dedup_collapse', { namespace, expand: true })).toMatchObject({ expanded: 2, groups: [] })
    expect(await search()).toHaveLength(4)
  })

  it('groups sure duplicates; pinned rows stand for the others, then the most reinforced', async () => {
    const { namespace, set, canonical } = await duplicated(1)
    const { groups, collapsed } = await loom.call('memory.dedup_collapse', { namespace })
    expect(collapsed).toBe(1)
    expect(groups).toMatchObject([{ canonical: { memory_id: canonical.memory_id }, members: [{ memory_key: 'fact/1' }] }])
    await set('fact/1', TEXT, { run_id: 'run-1' })
    expect((await loom.call('memory.dedup_collapse', { namespace })).groups[0]?.canonical.memory_key).toBe('fact/1')
    await loom.call('memory.pin', { namespace, memory_key: 'fact/0', value: TEXT })
    expect((await loom.call('memory.dedup_collapse', { namespace })).groups[0]?.canonical.memory_key).toBe('fact/0')
  })
})
