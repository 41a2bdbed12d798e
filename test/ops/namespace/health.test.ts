import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'

describe('the health and the taxonomy of a namespace', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (namespace: string, memory_key: string, value: unknown, more: object = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more } as never)
  const audit = async (namespace: string, check: string) => {
    const { checks } = await loom.call('namespace.audit', { namespace, checks: [check] } as never)
    return { count: checks[0]!.count, severity: checks[0]!.severity, keys: checks[0]!.examples.map((example) => example.memory_key) }
  }

  it('[KEY005] lists keys that are hashes or UUIDs under hash_keys, and no readable key', async () => {
    await set('hash', 'deadbeefdeadbeef', 'The first fact under a digest.')
    await set('hash', '0b7e3f5a-1c2d-4e5f-8a9b-0c1d2e3f4a5b', 'The second fact, under a UUID.')
    await set('hash', 'deadbeef', 'Eight digits are a word like any other.')
    await set('hash', 'deploy/window/prod', 'The key of this one can be read.')
    await set('hash', 'import:0123456789abcdef01234567', 'An import names its facts so.')
    const report = await loom.call('namespace.audit', { namespace: 'hash' })
    expect([...report.hash_keys].sort()).toEqual(['0b7e3f5a-1c2d-4e5f-8a9b-0c1d2e3f4a5b', 'deadbeefdeadbeef'])
    expect(report).toMatchObject({ rows: 5, checked_at: new Date(now).toISOString() })
    expect((await loom.call('namespace.audit', { namespace: 'hash', sample_limit: 1 })).hash_keys).toHaveLength(1)
    expect(report.checks).toHaveLength(17)
    await refused(loom.call('namespace.audit', { namespace: 'hash', checks: ['nonsense'] } as never), 'INVALID_ARGUMENT')
  })

  it('counts what makes memory worse, each under its own check', async () => {
    await set('sick', 'window', 'Production deploys run Tuesday and Thursday only; never Friday.', {
      tags: ['x'],
      entities: ['production'],
    })
    await set('sick', 'conflict', 'Production deploys run Monday to Thursday.')
    await set('sick', 'bytes', Buffer.from('The quick brown fox jumps over the lazy dog, twice 1.'.repeat(3)).toString('base64'))
    await set('sick', 'twice', JSON.stringify({ claim: 'an object in a string' }))
    await set('sick', 'long', 'w '.repeat(16_000))
    await set('sick', 'brief', 'The visitor badge works today only.', { ttl_seconds: 60 })
    expect(await audit('sick', 'conflicted')).toEqual({ count: 1, severity: 'warning', keys: ['conflict'] })
    expect(await audit('sick', 'base64')).toMatchObject({ keys: ['bytes'] })
    expect(await audit('sick', 'double_encoded')).toMatchObject({ keys: ['twice'] })
    expect(await audit('sick', 'oversized')).toMatchObject({ keys: ['long'] })
    expect((await audit('sick', 'untagged')).keys).not.toContain('window')
    expect(await audit('sick', 'no_entities')).toMatchObject({ severity: 'info', count: 5 })
    now += 61_000
    expect(await audit('sick', 'expired')).toMatchObject({ keys: ['brief'] })
    const mail = await set('sick', 'mail', 'Write to ada@example.org about it.')
    expect(await audit('sick', 'unlabelled_sensitive')).toMatchObject({ count: 0 })
    await sql`UPDATE loom.memory SET sensitivity = '' WHERE memory_id = ${mail.memory_id}`.execute(loom.database.reader)
    expect(await audit('sick', 'unlabelled_sensitive')).toEqual({ count: 1, severity: 'error', keys: ['mail'] })
    await sql`UPDATE loom.memory SET sensitivity = 'high' WHERE memory_id = ${mail.memory_id}`.execute(loom.database.reader)
    expect(await audit('sick', 'embedded_high')).toMatchObject({ keys: ['mail'] })
    await sql`DELETE FROM loom.memory_embedding e USING loom.memory m WHERE m.org = e.org AND m.memory_id = e.memory_id AND m.memory_key = 'window'`.execute(
      loom.database.reader,
    )
    expect(await audit('sick', 'missing_vector')).toMatchObject({ keys: ['window'] })
    await sql`UPDATE loom.memory_embedding e SET model = 'another' FROM loom.memory m WHERE m.org = e.org AND m.memory_id = e.memory_id AND m.memory_key = 'twice'`.execute(
      loom.database.reader,
    )
    expect(await audit('sick', 'other_model')).toMatchObject({ keys: ['twice'] })
  })

  it('finds redirects and successors that lead nowhere, and rings', async () => {
    await set('lead', 'a', 'The first name of this fact.')
    await loom.call('memory.move', { namespace: 'lead', memory_key: 'a', to_key: 'b' })
    expect(await audit('lead', 'dangling_redirect')).toMatchObject({ count: 0 })
    await loom.call('memory.delete', { namespace: 'lead', memory_key: 'b' })
    expect(await audit('lead', 'dangling_redirect')).toEqual({ count: 1, severity: 'error', keys: ['a'] })
    await sql`UPDATE loom.memory SET status = 'redirect', canonical_key = 'a', superseded_by = '' WHERE namespace = 'lead' AND memory_key = 'b'`.execute(
      loom.database.reader,
    )
    expect(await audit('lead', 'dangling_redirect')).toMatchObject({ count: 2 })
  })

  it('[TAG003] lists the top tags and entities, by count and then by name, spelt as most used', async () => {
    await loom.call('namespace.register', { namespace: 'tax', tag_registry: { Release: { description: 'of a release' }, unused: {} } })
    await set('tax', 'one', 'The gate opens at dawn.', { tags: ['Release', 'gate'], entities: ['Gate', 'Dawn'] })
    await set('tax', 'two', 'The boats leave at noon.', { tags: ['Release', 'boat'], entities: ['gate'] })
    await set('tax', 'three', 'The market closes when it rains.', { tags: ['release', 'alpha'] })
    await set('tax', 'gone', 'This row was taken away.', { tags: ['release', 'gone'], entities: ['gone'] })
    await loom.call('memory.delete', { namespace: 'tax', memory_key: 'gone' })
    const found = await loom.call('namespace.taxonomy', { namespace: 'tax' })
    expect(found.tags.map(({ tag, count }) => [tag, count])).toEqual([
      ['Release', 3],
      ['alpha', 1],
      ['boat', 1],
      ['gate', 1],
      ['unused', 0],
    ])
    expect(found.tags[0]).toMatchObject({ policy: { description: 'of a release' }, last_used_at: new Date(now).toISOString() })
    expect(found.tags.at(-1)).toMatchObject({ last_used_at: null, policy: { search: 'normal' } })
    expect(found.entities.map(({ entity, count }) => [entity, count])).toEqual([
      ['gate', 2],
      ['dawn', 1],
    ])
    const few = await loom.call('namespace.taxonomy', { namespace: 'tax', limit: 1, prefix: 'g' })
    expect(few).toMatchObject({ tags: [{ tag: 'gate' }], entities: [{ entity: 'gate' }] })
    expect(await loom.call('namespace.taxonomy', { namespace: 'empty' })).toEqual({ tags: [], entities: [], categories: [] })
  })

  it('counts what the caller may read, zeros included', async () => {
    await set('stats', 'one', 'The pier is made of oak.', { tags: ['Pier'], pinned: true, ttl_seconds: 3600 })
    await set('stats', 'two', 'The beacon is lit at dusk.', { tags: ['pier'], agent: 'second', source_class: 'external' })
    await set('stats', 'three', 'Somebody asked about the tide.', { memory_type: 'episodic' })
    await loom.call('memory.delete', { namespace: 'stats', memory_key: 'three' })
    const stats = await loom.call('memory.stats', { namespace: 'stats' })
    expect(stats).toMatchObject({
      total: 2,
      by_status: { active: 2, tombstoned: 1, proposed: 0 },
      by_type: { semantic: 2, episodic: 0 },
      by_source_class: { user: 1, external: 1, system: 0 },
      by_agent: [{ count: 1 }, { count: 1 }],
      pinned: 1,
      locked: 0,
      unverified_external: 1,
      expiring_7d: 1,
      restorable: 1,
      conflicts_open: 0,
      versions: 4,
      embedding: { embedded: 2, pending: 0, other_model: 0 },
    })
    expect(stats.by_tag).toMatchObject([{ count: 2 }])
    expect(stats.size.value_bytes).toBeGreaterThan(40)
    expect(stats.size.database_bytes).toBeGreaterThan(1000)
    const empty = await loom.call('memory.stats', { namespace: 'nobody' })
    expect(empty).toMatchObject({ total: 0, by_type: { semantic: 0 }, by_tag: [], oldest_at: null })
  })

  it('shows all that the engine holds about one row', async () => {
    await set('see', 'window', 'Production deploys run Tuesday and Thursday only; never Friday.')
    await set('see', 'other', 'Production deploys run Monday to Thursday.')
    // The vectors of keys follow their writes.
    await loom.engine.runDueJobs()
    const seen = await loom.call('memory.inspect', { namespace: 'see', memory_key: 'other' })
    expect(seen).toMatchObject({
      found: true,
      row: { memory_key: 'other', status: 'conflicted' },
      verdict: { verdict: 'conflict', judged_by: 'local', peers: [{ memory_key: 'window', relation: 'contradicts', status: 'active' }] },
      index: { embedded: true, stale: false, why_not: '' },
      sync: { state: 'none' },
      claim: { polarity: 'positive' },
    })
    expect(seen.index!.vectors.map(({ axis, dim }) => [axis, dim])).toEqual([
      ['value', 384],
      ['key', 384],
    ])
    expect(seen.index!.indexed_text).toContain('Monday to Thursday. (#other)')
    await set('see', 'card', 'The travel card is 4111 1111 1111 1111.')
    expect(await loom.call('memory.inspect', { namespace: 'see', memory_key: 'card' })).toMatchObject({
      index: { embedded: false, indexed_text: '', why_not: 'high' },
    })
    await loom.call('memory.delete', { namespace: 'see', memory_key: 'card' })
    expect(await loom.call('memory.inspect', { namespace: 'see', memory_key: 'card' })).toMatchObject({
      found: true,
      row: { status: 'tombstoned' },
    })
    expect(await loom.call('memory.inspect', { namespace: 'see', memory_key: 'never' })).toMatchObject({ found: false, row: null })
  })
})
