import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Role } from '../../../shared/contract/common.ts'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { blacklistAdd } from '../../../shared/contract/ops/blacklist/add.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores } from '../../helpers/store-counts.ts'

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine()
})
afterAll(() => loom.close())

function space() {
  const namespace = `l${++spaces}`
  const set = (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more })
  const add = (pattern: string, more: Partial<CallInputOf<'blacklist.add'>> = {}) =>
    loom.call('blacklist.add', { namespace, pattern, ...more })
  const sweep = (more: Partial<CallInputOf<'blacklist.sweep'>> = {}) => loom.call('blacklist.sweep', { namespace, ...more })
  const status = async (memory_key: string) =>
    (
      await loom.database.reader
        .selectFrom('memory')
        .select('status')
        .where('namespace', '=', namespace)
        .where('memory_key', '=', memory_key)
        .executeTakeFirst()
    )?.status
  return { namespace, set, add, sweep, status }
}

const as = (role: Role, namespace: string, more: Partial<Claims> = {}): { claims: Claims } => ({
  claims: { token_id: 't', subject: 's', kind: 'human', org: 'dev', grants: { [role === 'org_admin' || role === 'platform_admin' ? '*' : namespace]: role }, agent: '', user_id: '', own_session: false, session_id: '', device_id: '', expires_at: null, ...more },
}) // prettier-ignore

describe('blacklist.add', () => {
  it('has these fields and defaults [VER030]', () => {
    expect(Object.keys(blacklistAdd.input.shape).sort()).toEqual([
      'created_by',
      'namespace',
      'org',
      'pattern',
      'pattern_type',
      'reason',
      'scope',
      'sweep',
    ])
    expect(blacklistAdd.input.parse({ pattern: 'ab' })).toMatchObject({
      pattern_type: 'substring',
      scope: 'namespace',
      reason: '',
      sweep: false,
    })
    expect(blacklistAdd.input.safeParse({}).success).toBe(false)
    for (const scope of ['namespace', 'org', 'global']) expect(blacklistAdd.input.safeParse({ pattern: 'ab', scope }).success).toBe(true)
    expect(blacklistAdd.input.safeParse({ pattern: 'ab', pattern_type: 'glob' }).success).toBe(false)
  })

  it('needs the role of its scope, and an unbound token [VER031]', async () => {
    const { namespace } = space()
    const add = (scope: 'namespace' | 'org' | 'global', caller: { claims: Claims }) =>
      loom.call('blacklist.add', { namespace, pattern: `codeword ${scope} ${namespace}`, scope }, caller)
    await expect(add('namespace', as('viewer', namespace))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await add('namespace', as('writer', namespace))).toMatchObject({ created: true, scope: 'namespace' })
    await expect(add('namespace', as('admin', namespace, { user_id: 'u1' }))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(add('org', as('admin', namespace))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await add('org', as('org_admin', namespace))).toMatchObject({ created: true, scope: 'org' })
    await expect(add('global', as('org_admin', namespace))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await add('global', as('platform_admin', namespace))).toMatchObject({ created: true, scope: 'global' })
  })

  it('sweep retires what matches already, of any writer; a locked row is left and counted [VER031]', async () => {
    const { namespace, set, add, status } = space()
    await set('a', 'Project Nightfall starts in May.')
    await set('b', 'The budget of project nightfall is small.', { agent: 'other', user_id: 'u1' })
    await set('c', 'Project NIGHTFALL has four people.', { pinned: true })
    await set('d', 'Ada leads project nightfall.')
    await set('e', 'The canteen opens at eleven.')
    await loom.call('memory.lock', { namespace, memory_key: 'd', mode: 'no_delete', reason: 'audit' })
    const before = await countStores(loom.database)
    const done = await add('project nightfall', { sweep: true, reason: 'secret' })
    expect(done).toMatchObject({ created: true, swept: 3, skipped_locked: 1, swept_truncated: false, sweep_error: '' })
    // One audit row for the pattern, one for each row.
    expect((await countStores(loom.database)).audit - before.audit).toBe(4)
    expect([await status('a'), await status('b'), await status('c'), await status('d'), await status('e')]).toEqual([
      'tombstoned',
      'tombstoned',
      'tombstoned',
      'active',
      'active',
    ])
    expect(await add('project nightfall', { reason: 'still secret' })).toMatchObject({
      created: false,
      blacklist_id: done.blacklist_id,
      swept: 0,
    })
    await expect(set('f', 'About project nightfall.')).rejects.toMatchObject({ code: 'BLACKLISTED', fields: { reason: 'still secret' } })
  })

  it('a hostile pattern takes linear time [VER031]', async () => {
    const { set, add } = space()
    await add('(a+)+$', { pattern_type: 'regex' })
    await add('(x|xx|xxx)*y', { pattern_type: 'regex' })
    const from = performance.now()
    await set('hostile', `${'a'.repeat(100_000)}!${'x'.repeat(1000)}`)
    expect(performance.now() - from).toBeLessThan(20_000)
    await expect(add('(a', { pattern_type: 'regex' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT', fields: { field: 'pattern' } })
    await expect(add('a*', { pattern_type: 'regex' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
    await expect(add('(a)\\1', { pattern_type: 'regex' })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' })
  }, 60_000)
})

describe('blacklist.sweep', () => {
  it('stops at its limit and says so; called again it goes on [VER031]', async () => {
    const { namespace, set, add, sweep } = space()
    for (let at = 0; at < 5; at++) await set(`row/${at}`, `Codeword umbra, entry ${at}, floor ${at * 7}.`, { memory_type: 'episodic' })
    const { blacklist_id } = await add('codeword umbra')
    expect(await sweep({ dry_run: true })).toMatchObject({
      matched: 5,
      swept: 0,
      dry_run: true,
      examples: [{ blacklist_id, namespace }, {}, {}, {}, {}],
    })
    expect(await sweep({ limit: 3 })).toMatchObject({ matched: 3, swept: 3, swept_truncated: true })
    expect(await sweep({ limit: 3 })).toMatchObject({ swept: 2, swept_truncated: false })
    expect(await sweep()).toMatchObject({ matched: 0, swept: 0, examples: [] })
    const { patterns } = await loom.call('blacklist.list', { namespace })
    expect(patterns.find((one) => one.blacklist_id === blacklist_id)).toMatchObject({ hits: 0 })
  })

  it('a locked row does not use up the limit', async () => {
    const { namespace, set, add, sweep } = space()
    for (let at = 0; at < 3; at++) await set(`row/${at}`, `Codeword penumbra, entry ${at}.`, { memory_type: 'episodic' })
    await loom.call('memory.lock', { namespace, memory_key: 'row/0', reason: 'audit' })
    await add('codeword penumbra')
    expect(await sweep({ limit: 2 })).toMatchObject({ swept: 2, skipped_locked: 1, swept_truncated: false })
  })

  it('reaches all namespaces of an org pattern, for an org admin; restore revives, and the value is refused on', async () => {
    const [one, two] = [space(), space()]
    await one.set('a', 'The word is gloaming.')
    await two.set('b', 'Gloaming is the word.')
    const { blacklist_id } = await one.add('gloaming', { scope: 'org' })
    await expect(
      loom.call('blacklist.sweep', { namespace: one.namespace, blacklist_id }, as('admin', one.namespace)),
    ).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await one.sweep({ blacklist_id })).toMatchObject({ swept: 2 })
    expect(await two.status('b')).toBe('tombstoned')
    await expect(loom.call('memory.restore', { namespace: two.namespace, memory_key: 'b' })).rejects.toMatchObject({ code: 'BLACKLISTED' })
    expect(await loom.call('blacklist.remove', { blacklist_id })).toEqual({ removed: true })
    expect(await loom.call('memory.restore', { namespace: two.namespace, memory_key: 'b' })).toMatchObject({ restored: true })
    await expect(one.sweep({ blacklist_id })).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('blacklist.list and blacklist.remove', () => {
  it('lists what binds the namespace, newest first, page by page, for writers', async () => {
    const { namespace, add, set } = space()
    await add('first pattern')
    await add('second (pattern)+', { pattern_type: 'regex', created_by: 'a person', reason: 'why' })
    await expect(set('a', 'The first pattern.')).rejects.toMatchObject({ code: 'BLACKLISTED' })
    const own = { namespace, scope: 'namespace' as const }
    const first = await loom.call('blacklist.list', { ...own, limit: 1 })
    expect(first.patterns).toMatchObject([
      {
        pattern: 'second (pattern)+',
        pattern_type: 'regex',
        created_by: 'a person',
        reason: 'why',
        actor: 'human:local',
        hits: 0,
        last_hit_at: null,
      },
    ])
    const second = await loom.call('blacklist.list', { ...own, limit: 1, cursor: first.next_cursor ?? '' })
    expect(second).toMatchObject({ patterns: [{ pattern: 'first pattern', hits: 1 }], next_cursor: null })
    await expect(loom.call('blacklist.list', { namespace }, as('viewer', namespace))).rejects.toMatchObject({ code: 'FORBIDDEN' })
  })

  it('taking a pattern away is for admins of its scope', async () => {
    const { namespace, add, set } = space()
    const { blacklist_id } = await add('third pattern')
    await expect(loom.call('blacklist.remove', { blacklist_id }, as('writer', namespace))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    await expect(loom.call('blacklist.remove', { blacklist_id }, as('admin', 'elsewhere'))).rejects.toMatchObject({ code: 'FORBIDDEN' })
    expect(await loom.call('blacklist.remove', { blacklist_id }, as('admin', namespace))).toEqual({ removed: true })
    expect(await loom.call('blacklist.remove', { blacklist_id })).toEqual({ removed: false })
    expect(await set('a', 'The third pattern.')).toMatchObject({ status: 'active' })
  })
})
