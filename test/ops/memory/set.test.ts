import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { memorySet } from '../../../shared/contract/ops/memory/set.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores, reinforcementOf } from '../../helpers/store-counts.ts'

const FIELDS =
  'org, namespace, agent, user_id, session_id, run_id, memory_key, memory_type, value, tags, entities, relations, files, confidence, source_trace, source_class, source_resource_id, ttl_seconds, clear_expiry, on_expire, expire_reason, valid_at, valid_to, pinned, classify, if_match_sha256, char_limit, sensitivity, dry_run, proposed'.split(
    ', ',
  )
const ANSWER =
  'version, pinned, memory_id, content_sha256, status, duplicate_of, namespace, memory_key, merged_into_key, degraded, retyped_from, conflict_verdict, peers, next, noop, dry_run, advisories, chunks_written'.split(
    ', ',
  )

describe('memory.set', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  it('takes exactly the 30 documented fields and answers exactly the 18 [SET026, SET027]', async () => {
    expect(Object.keys(memorySet.input.shape).sort()).toEqual([...FIELDS].sort())
    const set = await loom.call('memory.set', { namespace: 'fields', memory_key: 'a/b', value: 'The sky over Lisbon is blue.' })
    expect(Object.keys(set).sort()).toEqual([...ANSWER].sort())
  })

  it('stores one row from a key and a value alone [SET001, SET005, SET008, SET010, SET011, SET015, SET017]', async () => {
    const before = await countStores(loom.database)
    const set = await loom.call('memory.set', { namespace: 'minimal', memory_key: 'team/lead', value: 'Ada leads the platform team.' })
    const after = await countStores(loom.database)
    expect(after.rows - before.rows).toBe(1)
    expect(set).toMatchObject({ conflict_verdict: 'clear', status: 'active', noop: false, advisories: [], next: '' })
    const got = await loom.call('memory.get_by_id', { memory_id: set.memory_id })
    expect(got).toMatchObject({
      found: true,
      namespace: 'minimal',
      memory_key: 'team/lead',
      status: set.status,
      content_sha256: set.content_sha256,
    })
  })

  it('ends with one live row however often it is retried, and reinforces it [SET006, SET023]', async () => {
    const call = {
      namespace: 'retry',
      memory_key: 'ci/timeout',
      value: 'The deploy job times out after 45 minutes.',
      tags: ['ci'],
      valid_at: '2026-01-02',
      source_resource_id: 'ci.yml',
    }
    const first = await loom.call('memory.set', call)
    const before = await countStores(loom.database)
    const again = await loom.call('memory.set', call)
    const shorter = await loom.call('memory.set', { namespace: 'retry', memory_key: call.memory_key, value: call.value })
    expect(await countStores(loom.database)).toEqual(before)
    for (const repeat of [again, shorter]) {
      expect(repeat).toMatchObject({ memory_id: first.memory_id, version: first.version, noop: true, conflict_verdict: 'clear', peers: [] })
    }
    expect(await reinforcementOf(loom.database, first.memory_id)).toBe(2)
    const { rows } = await loom.call('memory.list', { namespace: 'retry' })
    expect(rows).toHaveLength(1)
  })

  it.each([
    { tags: ['other'] },
    { confidence: 0.5 },
    { valid_at: '2025-05-05T00:00:00Z' },
    { valid_to: '2099-01-01T00:00:00Z' },
    { sensitivity: 'medium' as const },
    { files: ['src/a.ts'] },
    { source_resource_id: 'doc/2' },
    { source_class: 'external' as const },
    { ttl_seconds: 3600 },
    { on_expire: 'demote' as const },
    { memory_type: 'episodic' as const },
  ])('revises the row when the same value comes with %o [SET024]', async (change) => {
    const key = `attr/${Object.keys(change)[0]}`
    const call = { namespace: 'attributes', memory_key: key, value: `Attribute ${key} of the row is under test.` }
    const first = await loom.call('memory.set', call)
    const second = await loom.call('memory.set', { ...call, ...change })
    expect(second.noop).toBe(false)
    expect(second.memory_id).toBe(first.memory_id)
    expect(second.version > first.version).toBe(true)
    expect(second.content_sha256).toBe(first.content_sha256)
  })

  it('addresses another row when any identity element differs [SET007]', async () => {
    const base = { namespace: 'ids', agent: 'a', user_id: 'u', session_id: 's', memory_key: 'k' }
    const ids = new Set<string>()
    for (const other of [{}, { namespace: 'ids2' }, { agent: 'b' }, { user_id: 'v' }, { session_id: 't' }]) {
      const set = await loom.call('memory.set', {
        ...base,
        ...other,
        value: `Row of ${JSON.stringify(other)} speaks of topic ${ids.size}.`,
      })
      ids.add(set.memory_id)
    }
    expect(ids.size).toBe(5)
  })

  it('answers strictly greater versions past 2^53, and hashes that follow the value [SET009, SET010, SET012]', async () => {
    const one = await loom.call('memory.set', { namespace: 'versions', memory_key: 'n', value: 'The kettle boils at ninety degrees here.' })
    const two = await loom.call('memory.set', {
      namespace: 'versions',
      memory_key: 'n',
      value: 'The kettle boils at ninety-one degrees here.',
    })
    expect(two.version > one.version).toBe(true)
    expect(one.version > 2n ** 53n).toBe(true)
    expect(two.content_sha256).not.toBe(one.content_sha256)
    const got = await loom.call('memory.get', { namespace: 'versions', memory_key: 'n' })
    expect(got.version).toBe(two.version)
    expect(got.version_text).toBe(two.version.toString())
  })

  it('moves a relative expiry with each retry, which makes it a revision [SET025]', async () => {
    let now = Date.now()
    const timed = await openTestEngine({ clock: () => now })
    const call = { memory_key: 'scratch/a', value: 'The scratch note lives for an hour.', ttl_seconds: 3600 }
    const first = await timed.call('memory.set', call)
    now += 60_000
    const second = await timed.call('memory.set', call)
    expect(second.noop).toBe(false)
    expect(second.version > first.version).toBe(true)
    const got = await timed.call('memory.get', { memory_key: 'scratch/a' })
    expect(new Date(got.expires_at ?? 0).getTime()).toBe(now + 3_600_000)
    await timed.close()
  })

  it('judges a dry run like a real write and leaves nothing behind [SET015, SET019, SET020]', async () => {
    const held = { namespace: 'dry', memory_key: 'deploy/window', value: 'Production deploys run Tuesday and Thursday only; never Friday.' }
    await loom.call('memory.set', held)
    const call = { namespace: 'dry', memory_key: 'ops/deploys', value: 'Production deploys run Monday to Thursday.' }
    const before = await countStores(loom.database)
    const dry = await loom.call('memory.set', { ...call, dry_run: true })
    expect(await countStores(loom.database)).toEqual(before)
    expect(dry).toMatchObject({ noop: true, dry_run: true, memory_id: '', version: 0n })
    const real = await loom.call('memory.set', call)
    expect([dry.conflict_verdict, dry.status, dry.next]).toEqual([real.conflict_verdict, real.status, real.next])
    expect(dry.peers).toEqual(real.peers)
    expect(real).toMatchObject({ noop: false, dry_run: false })
  })

  it('stores triples of an established row [SET028]', async () => {
    await loom.call('memory.set', {
      namespace: 'graph',
      memory_key: 'people/ada',
      value: 'Ada manages Bo.',
      relations: [['Ada', 'manages', 'Bo']],
    })
    const got = await loom.call('memory.get', { namespace: 'graph', memory_key: 'people/ada' })
    expect(got.relations).toEqual([{ subject: 'Ada', predicate: 'manages', object: 'Bo' }])
  })

  it('answers no verdict for what is not judged [SET013]', async () => {
    const set = await loom.call('memory.set', {
      namespace: 'unjudged',
      memory_key: 'log/1',
      value: 'Went for a walk.',
      memory_type: 'episodic',
    })
    expect(set.conflict_verdict).toBe('')
  })

  it('keeps what a changed value leaves out, and drops what is the call’s alone', async () => {
    const key = { namespace: 'kept', memory_key: 'svc/owner' }
    await loom.call('memory.set', {
      ...key,
      value: 'Team Blue owns the payment service.',
      tags: ['owner'],
      confidence: 0.7,
      entities: ['Payments'],
      source_trace: 'wiki',
      valid_at: '2026-01-01',
    })
    await loom.call('memory.set', { ...key, value: 'Team Red owns the payment service.' })
    const got = await loom.call('memory.get', key)
    expect(got).toMatchObject({ tags: ['owner'], confidence: 0.7, entities: [], source_trace: '', valid_at: null })
  })

  it('names the models that fell back, and stores all the same [SET018, SET003]', async () => {
    const bare = await openTestEngine({ models: NO_MODELS })
    const set = await bare.call('memory.set', { memory_key: 'a', value: 'The gate code changes monthly.' })
    expect(set.degraded).toContain('embedder')
    expect(set.conflict_verdict).toBe('clear')
    const found = await bare.call('memory.search', { query: 'gate code' })
    expect(found.results[0]?.memory_key).toBe('a')
    expect(found.degraded).toContain('embedder')
    await bare.close()
    const whole = await loom.call('memory.set', { namespace: 'whole', memory_key: 'a', value: 'The gate code changes monthly.' })
    expect(whole.degraded).toEqual([])
  })

  it('shows no reader a row before it is judged [SET002]', async () => {
    const write = loom.call('memory.set', { namespace: 'stall', memory_key: 'slow', value: 'The bridge opens at noon.' })
    const during = await loom.call('memory.get', { namespace: 'stall', memory_key: 'slow' })
    expect(during.found).toBe(false)
    const set = await write
    const after = await loom.call('memory.get', { namespace: 'stall', memory_key: 'slow' })
    expect(after).toMatchObject({ found: true, conflict_verdict: set.conflict_verdict })
  })
})
