import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, testCaller, type TestEngine } from '../../helpers/engine.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { refused } from '../../helpers/errors.ts'

const DAY = 24 * 3600 * 1000

describe('settings of a namespace', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const register = (namespace: string, settings: object) => loom.call('namespace.register', { namespace, ...settings })
  const set = (namespace: string, memory_key: string, value: unknown, more: object = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more } as never)
  const get = async (namespace: string, memory_key: string) =>
    (await loom.call('memory.get', { namespace, memory_key })) as Record<string, unknown>
  const later = (ms: number): string => new Date(now + ms).toISOString()

  it('[CFG028] keeps the proposal policy, field by field, and refuses one that could never be reached', async () => {
    const made = await register('trial', { proposal_policy: { mode: 'auto', min_passes: 2, max_fails: 1, reject_after_fails: 2 } })
    expect(made).toMatchObject({ created: true, restamp_rows: 0 })
    expect([...made.changed].sort()).toEqual([
      'proposal_policy.max_fails',
      'proposal_policy.min_passes',
      'proposal_policy.mode',
      'proposal_policy.reject_after_fails',
    ])
    expect(await register('trial', { proposal_policy: { min_passes: 5 } })).toMatchObject({
      changed: ['proposal_policy.min_passes'],
      created: false,
    })
    const { settings } = await loom.call('namespace.get', { namespace: 'trial' })
    expect(settings.proposal_policy).toEqual({ mode: 'auto', min_passes: 5, max_fails: 1, reject_after_fails: 2 })
    const bad = await refused(register('trial', { proposal_policy: { max_fails: 2 } }), 'INVALID_ARGUMENT')
    expect(bad.fields).toMatchObject({ field: 'proposal_policy.reject_after_fails' })
    expect((await refused(register('trial', { proposal_policy: { colour: 1 } }), 'INVALID_ARGUMENT')).fields).toMatchObject({
      field: 'proposal_policy.colour',
    })
    expect(await register('trial', { proposal_policy: null })).toMatchObject({
      settings: { proposal_policy: { mode: 'manual', min_passes: 3 } },
    })
  })

  it('merges one level deep, takes a tag out with null, says nothing changed when nothing did, and a dry run stores nothing', async () => {
    const day = { ttl_seconds: 86_400, on_expire: 'tombstone' }
    await register('merge', {
      retention: { episodic: day },
      tag_registry: { scratch: { search: 'hidden' }, Keep: { description: 'kept' } },
    })
    const merged = await register('merge', { retention: { profile: { ttl_seconds: 60 } }, tag_registry: { keep: null } })
    expect([...merged.changed].sort()).toEqual(['retention.profile', 'tag_registry.Keep'])
    expect(merged.settings.retention).toEqual({ episodic: day, profile: { ttl_seconds: 60, on_expire: 'tombstone' } })
    expect(Object.keys(merged.settings.tag_registry)).toEqual(['scratch'])
    expect(await register('merge', { retention: { episodic: day } })).toMatchObject({ changed: [] })
    expect(await register('merge', { retention: null, dry_run: true })).toMatchObject({ settings: { retention: {} }, dry_run: true })
    expect((await loom.call('namespace.get', { namespace: 'merge' })).settings.retention).toHaveProperty('episodic')
    expect(await register('merge', { retention: { episodic: null } })).toMatchObject({ changed: ['retention.episodic'] })
    await refused(register('merge', { retention: { semantic: { ttl_seconds: 59 } } }), 'INVALID_ARGUMENT')
  })

  it('[EXP003] gives rows the shortest window that fits, and the sweep acts on it', async () => {
    await register('keep', {
      retention: { episodic: { ttl_seconds: 3600 } },
      sensitive_retention: { medium: { ttl_seconds: 600, on_expire: 'anonymize' } },
      tag_registry: { Scratch: { window: { ttl_seconds: 60 } } },
    })
    await set('keep', 'ep', 'The build broke at nine.', { memory_type: 'episodic' })
    await set('keep', 'mail', 'Write to ada@example.org about the badge.')
    await set('keep', 'note', 'Buy chalk for the board.', { tags: ['scratch'] })
    await set('keep', 'plain', 'The bell rings twice at dawn.')
    expect(await get('keep', 'ep')).toMatchObject({ expires_at: later(3_600_000), expire_reason: 'retention:episodic' })
    expect(await get('keep', 'mail')).toMatchObject({
      expires_at: later(600_000),
      on_expire: 'anonymize',
      expire_reason: 'retention:sensitive:medium',
    })
    expect(await get('keep', 'note')).toMatchObject({ expires_at: later(60_000), expire_reason: 'retention:tag:Scratch' })
    expect(await get('keep', 'plain')).toMatchObject({ expires_at: null })
    now += 61_000
    await loom.engine.runDueJobs()
    expect(await get('keep', 'note')).toMatchObject({ found: false, reason: 'deleted' })
    expect(await get('keep', 'mail')).toMatchObject({ found: true })
    now += 600_000
    await loom.engine.runDueJobs()
    expect(await get('keep', 'mail')).toMatchObject({ value: '[anonymized]' })
    await refused(
      set('keep', 'own', 'A reason that only windows give.', { ttl_seconds: 60, expire_reason: 'retention:mine' }),
      'INVALID_ARGUMENT',
    )
  })

  it('[EXP008] stores no expiry under clear_expiry although type and tag have a window, and keeps it so', async () => {
    await register('clear', { retention: { semantic: { ttl_seconds: 60 } }, tag_registry: { brief: { window: { ttl_seconds: 90 } } } })
    await set('clear', 'stays', 'The founding charter hangs in the hall.', { clear_expiry: true, tags: ['brief'] })
    expect(await get('clear', 'stays')).toMatchObject({ expires_at: null })
    await set('clear', 'stays', 'The founding charter hangs in the great hall.')
    expect(await get('clear', 'stays')).toMatchObject({ expires_at: null })
    await register('clear', { retention: { semantic: { ttl_seconds: 120 } } })
    await loom.engine.runDueJobs()
    expect(await get('clear', 'stays')).toMatchObject({ expires_at: null })
  })

  it('stamps rows anew when a window is set, changed or removed, counted from their last write, without a version', async () => {
    await register('stamp', {})
    const first = await set('stamp', 'row', 'The mill wheel turns at the weir.')
    await set('stamp', 'own', 'The ferry runs until the ice comes.', { ttl_seconds: 9 * 86_400 })
    await set('stamp', 'held', 'The keeper holds the only key to the vault.')
    await loom.call('memory.lock', { namespace: 'stamp', memory_key: 'held', mode: 'read_only', reason: 'hold' })
    const written = now
    now += 1000
    expect(await register('stamp', { retention: { semantic: { ttl_seconds: 86_400 } } })).toMatchObject({ restamp_rows: 2 })
    expect(await loom.engine.runDueJobs()).toContain('restamp')
    expect(await get('stamp', 'row')).toMatchObject({
      expires_at: new Date(written + DAY).toISOString(),
      expire_reason: 'retention:semantic',
      version: first.version,
    })
    expect(await get('stamp', 'own')).toMatchObject({ expires_at: new Date(written + 9 * DAY).toISOString() })
    expect(await get('stamp', 'held')).toMatchObject({ expires_at: null })
    const audit = await loom.database.reader
      .selectFrom('audit')
      .select(['memory_key', 'origin'])
      .where('op', '=', 'worker:restamp')
      .where('namespace', '=', 'stamp')
      .execute()
    expect(audit).toEqual([{ memory_key: 'row', origin: 'worker' }])
    await register('stamp', { retention: { semantic: null } })
    await loom.engine.runDueJobs()
    expect(await get('stamp', 'row')).toMatchObject({ expires_at: null, expire_reason: '' })
    expect(await loom.database.reader.selectFrom('job').select('job_id').where('worker', '=', 'restamp').execute()).toEqual([])
  })

  it('[TAG002] has a tag carry its policy: a least level, a window, and no place in a default search', async () => {
    await register('tags', {
      tag_registry: { staff: { sensitivity: 'medium' }, vault: { sensitivity: 'high' }, draft: { search: 'hidden' } },
    })
    await set('tags', 'staff/rota', 'Ines takes the early shift.', { tags: ['Staff'] })
    await set('tags', 'staff/low', 'Jon takes the late shift on Fridays.', { tags: ['staff'], sensitivity: 'low' })
    await set('tags', 'vault/code', 'The vault stands behind the clock.', { tags: ['vault'] })
    expect(await get('tags', 'staff/rota')).toMatchObject({ sensitivity: 'medium' })
    expect(await get('tags', 'staff/low')).toMatchObject({ sensitivity: 'medium' })
    expect(await get('tags', 'vault/code')).toMatchObject({ sensitivity: 'high' })
    await loom.call('memory.update', { namespace: 'tags', memory_key: 'staff/rota', tags: ['vault'] })
    expect(await get('tags', 'staff/rota')).toMatchObject({ sensitivity: 'high' })

    await set('tags', 'draft/plan', 'The new annex may get a copper roof.', { tags: ['Draft', 'roof'] })
    const keys = async (more: object) =>
      (await loom.call('memory.search', { namespace: 'tags', query: 'copper roof annex', ...more })).results.map((hit) => hit.memory_key)
    expect(await keys({})).not.toContain('draft/plan')
    expect(await keys({ tags: ['roof'] })).not.toContain('draft/plan')
    expect(await keys({ tags: ['draft'] })).toContain('draft/plan')
    expect(await get('tags', 'draft/plan')).toMatchObject({ found: true })
  })

  it('looks again at rows whose level nobody stated, daily and when a policy changes, and high loses its vectors', async () => {
    await register('sweep', {})
    const { memory_id } = await set('sweep', 'door', 'The side door sticks in winter.', { tags: ['house'] })
    await set('sweep', 'stated', 'The side gate sticks in autumn.', { tags: ['house'], sensitivity: 'low' })
    const vectors = () => loom.database.reader.selectFrom('memory_embedding').select('axis').where('memory_id', '=', memory_id).execute()
    expect(await vectors()).not.toEqual([])
    await register('sweep', { tag_registry: { house: { sensitivity: 'high' } } })
    expect(await loom.engine.runDueJobs()).toContain('sensitivity')
    expect(await get('sweep', 'door')).toMatchObject({ sensitivity: 'high', conflict_verdict: '' })
    expect(await get('sweep', 'stated')).toMatchObject({ sensitivity: 'low' })
    expect(await vectors()).toEqual([])
    expect(
      (await loom.call('memory.search', { namespace: 'sweep', query: 'side door winter' })).results.map((hit) => hit.memory_key),
    ).not.toContain('door')
    const { rows } = await loom.call('memory.history', { namespace: 'sweep', memory_key: 'door' })
    expect(rows[0]).toMatchObject({ op: 'worker:sensitivity', changed: ['sensitivity', 'conflict_verdict'] })
    await register('sweep', { tag_registry: null })
    await loom.engine.runDueJobs()
    now += 60_000
    await loom.engine.runDueJobs()
    expect(await get('sweep', 'door')).toMatchObject({ sensitivity: '' })
    expect(await vectors()).not.toEqual([])
  })

  it('is answered whole by namespace.get, and for a name nobody used it is not found', async () => {
    await register('whole', { description: 'All of it.' })
    await set('whole', 'a', 'One row to count.')
    const got = await loom.call('namespace.get', { namespace: 'whole' })
    expect(got).toMatchObject({
      namespace: 'whole',
      registered: true,
      settings: { description: 'All of it.', conflict_threshold: 0.42 },
      categories: [],
    })
    expect(got.counts).toMatchObject({ by_status: { active: 1, tombstoned: 0 }, by_type: { semantic: 1 }, snapshots: 0 })
    expect((await loom.call('namespace.get', { namespace: 'whole', counts: false })).counts).toBeNull()
    await refused(loom.call('namespace.get', { namespace: 'nobody' }), 'NOT_FOUND')
  })

  it('counts documents, threads and runs', async () => {
    const namespace = 'counted'
    await loom.call('knowledge.add', { namespace, title: 'Weir', text: 'The weir is opened in spring.' })
    await loom.call('conversation.append', { namespace, thread_id: 't', messages: [{ role: 'user', content: 'When?' }] })
    await loom.call('run.start', { namespace, goal: 'Open the weir.' })
    const { counts } = await loom.call('namespace.get', { namespace })
    expect(counts).toMatchObject({ documents: 1, threads: 1, runs: 1, records: 0 })
  })

  it('is refused to a token bound to one user', async () => {
    const claims = { ...localClaims('human', 'u'), user_id: 'u1' }
    await refused(loom.engine.run('namespace.register', { namespace: 'whole', description: 'x' }, testCaller(claims)), 'FORBIDDEN')
  })
})
