import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ConflictVerdict } from '../../../shared/contract/common.ts'
import type { CallInputOf } from '../../../shared/contract/registry.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores, reinforcementOf } from '../../helpers/store-counts.ts'

const HELD = 'Production deploys run Tuesday and Thursday only; never Friday.'
const AGAINST = 'Production deploys run Monday to Thursday.'

describe('the verdict of a write', () => {
  let loom: TestEngine
  let spaces = 0
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  /** A namespace of its own for each test, with a policy. */
  const space = async (policy: 'flag' | 'newest_wins' | 'keep_existing' = 'flag') => {
    const namespace = `v${++spaces}`
    await loom.call('namespace.register', { namespace, default_conflict_policy: policy })
    const set = (memory_key: string, value: unknown, more: Partial<CallInputOf<'memory.set'>> = {}) =>
      loom.call('memory.set', { namespace, memory_key, value: value as never, ...more })
    const get = (memory_key: string) => loom.call('memory.get', { namespace, memory_key })
    return { namespace, set, get }
  }

  it('has exactly five words, and none [VER001]', () => {
    expect([...ConflictVerdict.options].sort()).toEqual(['', 'clear', 'conflict', 'duplicate', 'merge', 'rejected'])
  })

  it('clear: nothing stands against it, and the row is active [VER002]', async () => {
    const { set } = await space()
    await set('deploy/window', HELD)
    expect(await set('office/plants', 'The office plants are watered by Kim.')).toMatchObject({
      conflict_verdict: 'clear',
      status: 'active',
      peers: [],
    })
  })

  it('merge: the fact is held under another key, and nothing is written [VER003, SET016]', async () => {
    const { set, get } = await space()
    const held = await set('team/lead', 'Ada leads the team.')
    const before = await countStores(loom.database)
    const merged = await set('team/lead2', 'ada leads  the team')
    expect(merged).toMatchObject({
      conflict_verdict: 'merge',
      merged_into_key: 'team/lead',
      noop: true,
      memory_id: held.memory_id,
      version: held.version,
    })
    expect(merged.next).toBe("memory.get(memory_key='team/lead')")
    expect(await countStores(loom.database)).toEqual(before)
    expect(await reinforcementOf(loom.database, held.memory_id)).toBe(1)
    expect(await get('team/lead2')).toMatchObject({ found: false })
    expect(await get('team/lead')).toMatchObject({ found: true })
  })

  it('never merges what only looks alike: digits, signs, units, environments', async () => {
    const { set } = await space()
    await set('api/limit', 'The rate limit is 100 requests.')
    expect((await set('api/limit/b', 'The rate limit is 1000 requests.')).conflict_verdict).not.toBe('merge')
    await set('db/prod/host', 'The database host is db-1.internal.')
    expect((await set('db/staging/host', 'The database host is db-1.internal.')).conflict_verdict).toBe('clear')
  })

  it('duplicate: the same fact in other words is stored beside the row it repeats [VER004]', async () => {
    const { set } = await space()
    const held = await set('team/size', 'The platform team has five engineers.')
    const twin = await set('team/size/b', 'There are 5 engineers on the platform team.')
    expect(twin).toMatchObject({ conflict_verdict: 'duplicate', status: 'duplicate', duplicate_of: held.memory_id, noop: false })
  })

  it('conflict: the row is stored conflicted, the peers are told, the older stays [VER005, VER011, VER014, KEY007, SET014]', async () => {
    const { set, get } = await space()
    await set('deploy/window/prod', HELD)
    const against = await set('ops/deploys', AGAINST)
    expect(against).toMatchObject({ conflict_verdict: 'conflict', status: 'conflicted', noop: false })
    expect(against.peers[0]).toMatchObject({ memory_key: 'deploy/window/prod', relation: 'contradicts', status: 'active' })
    expect(against.peers[0]?.reason).not.toBe('')
    expect(against.next).toBe("memory.update(memory_key='deploy/window/prod', value=…)")
    expect(await get('deploy/window/prod')).toMatchObject({ found: true, status: 'active' })
    expect(await get('ops/deploys')).toMatchObject({ found: true, status: 'conflicted' })
    const { rows } = await loom.call('memory.list', { namespace: `v${spaces}` })
    expect(rows.map((row) => [row.memory_key, row.open_conflicts])).toEqual([
      ['ops/deploys', 1],
      ['deploy/window/prod', 1],
    ])
  })

  it('rejected: a pinned fact stands against it, and nothing is stored [VER006]', async () => {
    const { set, get } = await space()
    await set('deploy/window/prod', HELD, { pinned: true })
    const before = await countStores(loom.database)
    const refused = await set('ops/deploys', AGAINST)
    expect(refused).toMatchObject({ conflict_verdict: 'rejected', status: 'rejected', memory_id: '', version: 0n, content_sha256: '' })
    expect(refused.peers[0]).toMatchObject({ memory_key: 'deploy/window/prod', relation: 'pinned' })
    expect(await countStores(loom.database)).toEqual(before)
    expect(await get('ops/deploys')).toMatchObject({ found: false })
  })

  it('shows at most five peers, closest first, with 200 characters each [VER009, VER010]', async () => {
    const { set } = await space()
    const tail = ` ${'This sentence only makes the claim long. '.repeat(8)}`
    for (let at = 0; at < 8; at++) await set(`window/${at}`, `The maintenance window of cluster alpha starts at ${at + 1}:00.${tail}`)
    const against = await set('window/new', `The maintenance window of cluster alpha starts at 15:00.${tail}`)
    expect(against.conflict_verdict).toBe('conflict')
    expect(against.peers.length).toBeGreaterThan(0)
    expect(against.peers.length).toBeLessThanOrEqual(5)
    const nearness = against.peers.map((peer) => peer.similarity)
    expect(nearness).toEqual([...nearness].sort((a, b) => b - a))
    for (const peer of against.peers) expect(peer.excerpt).toHaveLength(200)
  })

  it('stores an equal claim of another run as a duplicate, which that run finds [VER012, VER013]', async () => {
    const { set, get, namespace } = await space()
    const held = await set('fact/a', 'The archive is rebuilt every night.', { run_id: 'run-1' })
    const twin = await set('fact/b', 'The archive is rebuilt every night.', { run_id: 'run-2' })
    expect(twin).toMatchObject({ conflict_verdict: 'duplicate', status: 'duplicate', duplicate_of: held.memory_id, merged_into_key: '' })
    expect(await get('fact/b')).toMatchObject({ found: true, status: 'duplicate', canonical_key: 'fact/a' })
    const own = await loom.call('memory.search', { namespace, query: 'when is the archive rebuilt', run_id: 'run-2' })
    expect(own.results.map((hit) => hit.memory_key)).toEqual(['fact/b'])
    const all = await loom.call('memory.search', { namespace, query: 'when is the archive rebuilt' })
    expect(all.results.map((hit) => hit.memory_key)).toEqual(['fact/a'])
  })

  it('stores an equal claim of the same key under another identity as a duplicate', async () => {
    const { set } = await space()
    await set('pref/tea', 'Green tea, no sugar.', { agent: 'a' })
    expect(await set('pref/tea', 'Green tea, no sugar.', { agent: 'b' })).toMatchObject({
      conflict_verdict: 'duplicate',
      status: 'duplicate',
    })
  })

  it('flag is the default: both stay live [VER008]', async () => {
    const namespace = `v${++spaces}`
    await loom.call('memory.set', { namespace, memory_key: 'a', value: HELD })
    const set = await loom.call('memory.set', { namespace, memory_key: 'b', value: AGAINST })
    expect(set.status).toBe('conflicted')
    expect(await loom.call('memory.get', { namespace, memory_key: 'a' })).toMatchObject({ status: 'active' })
  })

  it('newest_wins retires the older, visibly and undoably [VER008]', async () => {
    const { set, get, namespace } = await space('newest_wins')
    await set('deploy/window/prod', HELD)
    const newer = await set('ops/deploys', AGAINST)
    expect(newer).toMatchObject({ conflict_verdict: 'clear', status: 'active', next: "memory.restore(memory_key='deploy/window/prod')" })
    expect(newer.peers[0]).toMatchObject({ memory_key: 'deploy/window/prod', status: 'superseded' })
    expect(await get('deploy/window/prod')).toMatchObject({
      status: 'superseded',
      superseded_by: newer.memory_id,
      canonical_key: 'ops/deploys',
    })
    const audit = await loom.database.reader
      .selectFrom('audit')
      .select('memory_key')
      .where('namespace', '=', namespace)
      .where('op', '=', 'memory.set')
      .execute()
    expect(audit.map((row) => row.memory_key).sort()).toEqual(['deploy/window/prod', 'deploy/window/prod', 'ops/deploys'])
    const back = await loom.call('memory.restore', { namespace, memory_key: 'deploy/window/prod' })
    expect(back).toMatchObject({ restored: true, from: 'superseded' })
    expect(await get('ops/deploys')).toMatchObject({ status: 'active' })
  })

  it('newest_wins leaves a locked row as it is and flags the pair [VER008]', async () => {
    const { set, get, namespace } = await space('newest_wins')
    await set('deploy/window/prod', HELD)
    await loom.call('memory.lock', { namespace, memory_key: 'deploy/window/prod', mode: 'no_delete', reason: 'policy' })
    expect(await set('ops/deploys', AGAINST)).toMatchObject({ conflict_verdict: 'conflict', status: 'conflicted' })
    expect(await get('deploy/window/prod')).toMatchObject({ status: 'active' })
  })

  it('keep_existing stores the newer as conflicted and out of default search [VER008]', async () => {
    const { set, namespace } = await space('keep_existing')
    await set('deploy/window/prod', HELD)
    expect(await set('ops/deploys', AGAINST)).toMatchObject({ conflict_verdict: 'conflict', status: 'conflicted' })
    const found = await loom.call('memory.search', { namespace, query: 'when do production deploys run' })
    expect(found.results.map((hit) => hit.memory_key)).toEqual(['deploy/window/prod'])
    const all = await loom.call('memory.search', { namespace, query: 'when do production deploys run', include_conflicted: true })
    expect(all.results).toHaveLength(2)
  })

  it('judges peers from the threshold on, and canonical equality whatever it says [VER008]', async () => {
    const { set, namespace } = await space()
    await loom.call('namespace.register', { namespace, conflict_threshold: 1 })
    await set('deploy/window/prod', HELD)
    expect((await set('ops/deploys', AGAINST)).conflict_verdict).toBe('clear')
    expect((await set('deploy/copy', HELD)).conflict_verdict).toBe('merge')
  })

  it('compares with the same user, or none', async () => {
    const { set } = await space()
    await set('city', 'The home city is Oslo.', { user_id: 'u1' })
    expect((await set('town', 'The home city is Oslo.', { user_id: 'u2' })).conflict_verdict).toBe('clear')
    expect((await set('town', 'The home city is Oslo.')).conflict_verdict).toBe('clear')
    expect((await set('town', 'The home city is Oslo.', { user_id: 'u1' })).conflict_verdict).not.toBe('clear')
  })

  it('a row of high sensitivity is neither judged nor a peer', async () => {
    const { set } = await space()
    expect((await set('card', 'The travel card is 4111 1111 1111 1111.')).conflict_verdict).toBe('')
    expect((await set('card2', 'The travel card is 4111 1111 1111 1111.')).conflict_verdict).toBe('')
  })
})
