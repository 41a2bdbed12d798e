import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores } from '../../helpers/store-counts.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'
const HOUR = 3600 * 1000

let loom: TestEngine
let spaces = 0
beforeAll(async () => {
  loom = await openTestEngine({ config: { bulkConflictChecks: 0 } })
})
afterAll(() => loom.close())

async function space(policy: 'flag' | 'newest_wins' = 'newest_wins') {
  const namespace = `r${++spaces}`
  await loom.call('namespace.register', { namespace, default_conflict_policy: policy })
  const set = (memory_key: string, value: string, more: Partial<CallInputOf<'memory.set'>> = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more })
  const get = (memory_key: string, more: Partial<CallInputOf<'memory.get'>> = {}) =>
    loom.call('memory.get', { namespace, memory_key, ...more })
  const retired = (more: Partial<CallInputOf<'memory.auto_retirements'>> = {}) =>
    loom.call('memory.auto_retirements', { namespace, ...more })
  /** Writes that no check has seen, as two of one moment in two processes. */
  const unchecked = (entries: { memory_key: string; value: string }[]) => loom.call('memory.bulk_set', { namespace, entries })
  const resolver = () => loom.engine.runDueJobs(new Date(Date.now() + HOUR))
  return { namespace, set, get, retired, unchecked, resolver }
}

describe('newest_wins', () => {
  it('retires the older rows of the key and user under other identities, whatever they say [VER015, VER023]', async () => {
    const { set, get, retired, namespace } = await space()
    const old = await set('status/build', 'The build is green.', { agent: 'a' })
    await set('status/build', 'Lunch is at noon.', { agent: 'b', user_id: 'u1' })
    const newer = await set('status/build', 'Forty people work on it.', { agent: 'c' })
    expect(newer).toMatchObject({ conflict_verdict: 'clear', status: 'active', next: "memory.restore(memory_key='status/build')" })
    expect(newer.peers).toMatchObject([{ memory_id: old.memory_id, status: 'superseded', relation: 'refines' }])
    expect(await loom.call('memory.get_by_id', { memory_id: old.memory_id })).toMatchObject({
      status: 'superseded',
      superseded_by: newer.memory_id,
    })
    expect(await get('status/build', { agent: 'b', user_id: 'u1' })).toMatchObject({ status: 'active' })
    const { rows } = await retired()
    expect(rows).toMatchObject([
      {
        memory_id: old.memory_id, cause: 'newest_wins', excerpt: 'The build is green.', restored_at: null, confidence: 1,
        by: { memory_key: 'status/build', memory_id: newer.memory_id, version: newer.version, actor: 'human:local' },
        undo: { op: 'memory.restore', arguments: { namespace, memory_id: old.memory_id } },
      },
    ]) // prettier-ignore
  })

  it('leaves locked and pinned rows of the key, and those that say the same [VER015]', async () => {
    const { set, get, namespace } = await space()
    await set('pref/tea', 'Green tea, no sugar.', { agent: 'a' })
    expect(await set('pref/tea', 'Green tea, no sugar.', { agent: 'b' })).toMatchObject({ status: 'duplicate' })
    expect(await get('pref/tea', { agent: 'a' })).toMatchObject({ status: 'active' })
    await set('size/team', 'The team has nine people.', { agent: 'a', pinned: true })
    await set('size/floor', 'The floor holds forty desks.', { agent: 'a' })
    await loom.call('memory.lock', { namespace, memory_key: 'size/floor', mode: 'no_delete', reason: 'audit' })
    await set('size/team', 'Lunch is at noon.', { agent: 'b' })
    await set('size/floor', 'Lunch is at one.', { agent: 'b' })
    expect(await get('size/team', { agent: 'a' })).toMatchObject({ status: 'active' })
    expect(await get('size/floor', { agent: 'a' })).toMatchObject({ status: 'active' })
  })

  it.each(['memory.update', 'memory.bulk_set', 'memory.pin'] as const)('holds for %s too [VER015]', async (op) => {
    const { set, namespace } = await space()
    const old = await set('status/build', 'The build is green.', { agent: 'a' })
    if (op === 'memory.update') {
      await loom.call('namespace.register', { namespace, default_conflict_policy: 'flag' })
      await set('status/build', 'Lunch is at noon.', { agent: 'b' })
      await loom.call('namespace.register', { namespace, default_conflict_policy: 'newest_wins' })
      await loom.call(op, { namespace, agent: 'b', memory_key: 'status/build', value: 'Lunch is at one.' })
    } else if (op === 'memory.pin') await loom.call(op, { namespace, agent: 'b', memory_key: 'status/build', value: 'Lunch is at noon.' })
    else await loom.call(op, { namespace, agent: 'b', entries: [{ memory_key: 'status/build', value: 'Lunch is at noon.' }] })
    expect(await loom.call('memory.get_by_id', { memory_id: old.memory_id })).toMatchObject({ status: 'superseded' })
  })

  it('a refinement supersedes the peer that it refines; under flag both stay [VER019, VER025]', async () => {
    const [whole, full] = ['Invoices are sent monthly.', 'Invoices are sent monthly, on the 3rd, as PDF.']
    const one = await space()
    await one.set('invoices/rhythm', whole)
    const finer = await one.set('billing/invoices', full)
    expect(finer).toMatchObject({
      conflict_verdict: 'clear',
      status: 'active',
      peers: [{ memory_key: 'invoices/rhythm', relation: 'refines', status: 'superseded' }],
    })
    expect(await one.get('invoices/rhythm')).toMatchObject({ status: 'superseded', superseded_by: finer.memory_id })
    const two = await space('flag')
    await two.set('invoices/rhythm', whole)
    expect(await two.set('billing/invoices', full)).toMatchObject({ conflict_verdict: 'clear', status: 'active' })
    expect(await two.get('invoices/rhythm')).toMatchObject({ status: 'active' })
  })

  it('what a write retires is listed, and restore brings it back for good [VER022, VER023]', async () => {
    const { set, get, retired, resolver, namespace } = await space()
    await set('deploy/window/prod', HELD)
    const newer = await set('ops/deploys', AGAINST)
    const { rows } = await retired({ memory_key: 'deploy/window/prod' })
    expect(rows).toMatchObject([{ cause: 'refines', by: { memory_id: newer.memory_id }, excerpt: HELD }])
    expect(rows[0]?.reason).not.toBe('')
    expect((await retired({ cause: 'resolver' })).rows).toEqual([])
    expect((await retired({ since: new Date(Date.now() + HOUR).toISOString() })).rows).toEqual([])
    expect(await loom.call('memory.restore', { namespace, memory_id: rows[0]?.memory_id })).toMatchObject({
      restored: true,
      from: 'superseded',
    })
    expect((await retired()).rows).toEqual([])
    expect((await retired({ include_restored: true })).rows).toMatchObject([{ restored_at: expect.any(String) }])
    await resolver()
    expect(await get('deploy/window/prod')).toMatchObject({ status: 'active' })
    expect(await get('ops/deploys')).toMatchObject({ status: 'active' })
  })

  it('pages, and shows a bounded token only rows of its user', async () => {
    const { set, retired, namespace } = await space()
    for (const agent of ['a', 'b', 'c']) await set('status/build', `Lunch is served by agent ${agent}.`, { agent, user_id: 'u1' })
    const first = await retired({ limit: 1 })
    const second = await retired({ limit: 1, cursor: first.next_cursor ?? '' })
    expect([first.rows[0]?.agent, second.rows[0]?.agent, second.next_cursor]).toEqual(['b', 'a', null])
    const claims = {
      token_id: 't',
      subject: 'w',
      kind: 'human' as const,
      org: 'dev',
      grants: { '*': 'viewer' as const },
      agent: '',
      user_id: 'u2',
      own_session: false,
      session_id: '',
      device_id: '',
      expires_at: null,
    }
    expect((await loom.call('memory.auto_retirements', { namespace }, { claims })).rows).toEqual([])
  })
})

describe('the conflict resolver', () => {
  it('flags contradicting writes that did not see each other, once [VER020]', async () => {
    const { unchecked, get, resolver, namespace } = await space('flag')
    await unchecked([
      { memory_key: 'deploy/window/prod', value: HELD },
      { memory_key: 'ops/deploys', value: AGAINST },
    ])
    expect(await get('ops/deploys')).toMatchObject({ status: 'active', conflict_verdict: '' })
    expect(await resolver()).toContain('conflict_resolver')
    expect(await get('ops/deploys')).toMatchObject({ status: 'conflicted' })
    expect(await get('deploy/window/prod')).toMatchObject({ status: 'active' })
    expect((await loom.call('conflicts.list', { namespace })).pairs).toMatchObject([
      { origin: 'resolver', row: { memory_key: 'ops/deploys' } },
    ])
    const audit = await loom.database.reader
      .selectFrom('audit')
      .select(['actor', 'memory_key'])
      .where('namespace', '=', namespace)
      .where('op', '=', 'worker:conflict_resolver')
      .execute()
    expect(audit).toEqual([{ actor: 'worker:conflict_resolver', memory_key: 'ops/deploys' }])
    const before = await countStores(loom.database)
    await resolver()
    expect(await countStores(loom.database)).toEqual(before)
  })

  it('under newest_wins retires the older, under another key too [VER020, VER023]', async () => {
    const { unchecked, get, resolver, retired } = await space()
    await unchecked([
      { memory_key: 'deploy/window/prod', value: HELD },
      { memory_key: 'ops/deploys', value: AGAINST },
    ])
    await resolver()
    expect(await get('deploy/window/prod')).toMatchObject({ status: 'superseded', canonical_key: 'ops/deploys' })
    expect(await get('ops/deploys')).toMatchObject({ status: 'active' })
    expect((await retired()).rows).toMatchObject([
      { cause: 'resolver', memory_key: 'deploy/window/prod', by: { memory_key: 'ops/deploys' } },
    ])
  })

  it('leaves a pinned row as it is, and flags the other [VER020]', async () => {
    const { unchecked, get, resolver, namespace } = await space()
    await unchecked([
      { memory_key: 'deploy/window/prod', value: HELD },
      { memory_key: 'ops/deploys', value: AGAINST },
    ])
    await loom.call('memory.pin', { namespace, memory_key: 'deploy/window/prod', value: HELD })
    await resolver()
    expect(await get('deploy/window/prod')).toMatchObject({ status: 'active', pinned: true })
    expect(await get('ops/deploys')).toMatchObject({ status: 'conflicted' })
  })

  it.each(['deleted', 'rewritten'])('clears a flag when the peer is %s [VER020]', async (how) => {
    const { set, get, resolver, namespace } = await space('flag')
    await set('deploy/window/prod', HELD)
    expect(await set('ops/deploys', AGAINST)).toMatchObject({ status: 'conflicted' })
    if (how === 'deleted') await loom.call('memory.delete', { namespace, memory_key: 'deploy/window/prod' })
    else await set('deploy/window/prod', 'The office plants are watered by Kim.')
    await resolver()
    expect(await get('ops/deploys')).toMatchObject({ status: 'active' })
    expect((await loom.call('conflicts.list', { namespace, state: 'all' })).pairs).toMatchObject([{ state: 'stale' }])
  })

  it('keeps a flag whose peer was rewritten and still contradicts', async () => {
    const { set, get, resolver, namespace } = await space('flag')
    await set('deploy/window/prod', HELD)
    await set('ops/deploys', AGAINST)
    await set('deploy/window/prod', 'Production deploys run Tuesday and Friday only; never Monday.')
    await resolver()
    expect(await get('ops/deploys')).toMatchObject({ status: 'conflicted' })
    expect((await loom.call('conflicts.list', { namespace })).total).toBe(1)
  })

  it('re-activates a duplicate whose canonical row is gone, or says something else now [VER016, VER020]', async () => {
    const { set, get, resolver, namespace } = await space('flag')
    for (const [key, run] of [
      ['a/1', 'r1'],
      ['a/2', 'r2'],
    ] as const)
      await set(key, 'The archive is rebuilt every night.', { run_id: run })
    for (const [key, run] of [
      ['b/1', 'r1'],
      ['b/2', 'r2'],
    ] as const)
      await set(key, 'The canteen opens at eleven.', { run_id: run })
    await loom.call('memory.delete', { namespace, memory_key: 'a/1' })
    await set('b/1', 'Bicycles are parked behind the hall.')
    await resolver()
    expect(await get('a/2')).toMatchObject({ status: 'active', duplicate_of: '' })
    expect(await get('b/2')).toMatchObject({ status: 'active', duplicate_of: '' })
  })
})
