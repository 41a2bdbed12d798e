import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { countStores } from '../../helpers/store-counts.ts'

const DAY_MS = 86_400_000

describe('what becomes of the memories of a run', () => {
  let loom: TestEngine
  let now = Date.parse('2026-11-30T12:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ models: NO_MODELS, clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (namespace: string, memory_key: string, value: string, more: object = {}) =>
    loom.call('memory.set', { namespace, memory_key, value, ...more })
  const get = (namespace: string, memory_key: string) => loom.call('memory.get', { namespace, memory_key })
  const complete = (namespace: string, run_id: string, more: object) =>
    loom.call('run.complete', { namespace, run_id, status: 'completed', ...more })

  /** Rows of one run in a namespace of their own: free, locked in both modes, pinned, and one that another run wrote since. */
  async function written(namespace: string): Promise<void> {
    const run_id = 'r1'
    await set(namespace, 'free', 'The free lamp is brass.', { run_id, confidence: 0.8 })
    await set(namespace, 'no-delete', 'The second stair creaks at night.', { run_id })
    await set(namespace, 'read-only', 'Tea is kept in the blue tin.', { run_id })
    await set(namespace, 'pinned', 'The boiler was serviced in March.', { run_id, pinned: true })
    await set(namespace, 'revised', 'Parking is behind the library.', { run_id })
    await set(namespace, 'revised', 'Parking is behind the town hall.', { run_id: 'r2' })
    await set(namespace, 'others', 'Grace grows tomatoes.')
    await set(namespace, 'gone', 'The fence was painted green.', { run_id })
    await loom.call('memory.delete', { namespace, memory_key: 'gone' })
    await loom.call('memory.lock', { namespace, memory_key: 'no-delete', mode: 'no_delete', reason: 'audit' })
    await loom.call('memory.lock', { namespace, memory_key: 'read-only', mode: 'read_only', reason: 'audit' })
  }
  const audit = async (namespace: string) =>
    (await loom.call('audit.list', { namespace, op: 'run.complete' })).rows.map((row) => row.memory_key).sort()

  it('demotes the rows whose newest version the run wrote [CHG049]', async () => {
    const namespace = 'demoted'
    await written(namespace)
    const before = await countStores(loom.database)
    const { version } = await get(namespace, 'free')
    const answer = await complete(namespace, 'r1', { retain: 'demote' })
    expect(answer.retained).toEqual({
      demoted: 2,
      expired: 0,
      refused: [
        { memory_key: 'pinned', memory_id: expect.any(String), code: 'PINNED_CONFLICT' },
        { memory_key: 'read-only', memory_id: expect.any(String), code: 'LOCKED' },
      ],
    })
    const free = await get(namespace, 'free')
    expect(free).toMatchObject({ confidence: 0.4, status: 'active', value: 'The free lamp is brass.', expires_at: null })
    expect((free.version ?? 0n) > (version ?? 0n)).toBe(true)
    for (const [key, confidence] of Object.entries({ 'no-delete': 0.5, 'read-only': 1, pinned: 1, revised: 1, others: 1 }))
      expect(await get(namespace, key)).toMatchObject({ confidence })
    // Two versions with an audit row each, and one of the run itself.
    expect(await countStores(loom.database)).toEqual({ ...before, versions: before.versions + 2, audit: before.audit + 3 })
    expect(await audit(namespace)).toEqual(['', 'free', 'no-delete'])

    expect(await complete(namespace, 'r1', { retain: 'demote' })).toMatchObject({
      noop: true,
      retained: { demoted: 0, expired: 0, refused: [] },
    })
    expect(await get(namespace, 'free')).toMatchObject({ confidence: 0.4 })
    const run = await loom.call('run.get', { namespace, run_id: 'r1' })
    expect(run).toMatchObject({ retain: 'demote', memories_written: 6 })
    expect(run.written.map((row) => [row.memory_key, row.status])).toEqual([
      ['free', 'active'],
      ['gone', 'tombstoned'],
      ['no-delete', 'active'],
      ['pinned', 'active'],
      ['read-only', 'active'],
      ['revised', 'active'],
    ])
  })

  it('gives them seven days; an earlier expiry stays [CHG049]', async () => {
    const namespace = 'expired'
    await written(namespace)
    await set(namespace, 'soon', 'The bridge closes for repairs.', {
      run_id: 'r1',
      ttl_seconds: 3600,
      on_expire: 'demote',
      expire_reason: 'short',
    })
    await set(namespace, 'late', 'The museum opens on Sundays.', {
      run_id: 'r1',
      ttl_seconds: 30 * 86_400,
      on_expire: 'anonymize',
      expire_reason: 'long',
    })
    const answer = await complete(namespace, 'r1', { status: 'failed', retain: 'expire' })
    expect(answer.retained.expired).toBe(2)
    expect(answer.retained.refused.map((row) => [row.memory_key, row.code])).toEqual([
      ['no-delete', 'LOCKED'],
      ['pinned', 'PINNED_CONFLICT'],
      ['read-only', 'LOCKED'],
    ])
    const week = new Date(now + 7 * DAY_MS).toISOString()
    for (const key of ['free', 'late'])
      expect(await get(namespace, key)).toMatchObject({
        expires_at: week,
        on_expire: 'tombstone',
        expire_reason: 'run:r1',
        status: 'active',
      })
    expect(await get(namespace, 'soon')).toMatchObject({
      expires_at: new Date(now + 3_600_000).toISOString(),
      on_expire: 'demote',
      expire_reason: 'short',
    })
    expect(await get(namespace, 'revised')).toMatchObject({ expires_at: null })
    now += 7 * DAY_MS
    await loom.engine.runDueJobs()
    expect(await get(namespace, 'free')).toMatchObject({ found: false, reason: 'deleted' })
    expect(await get(namespace, 'others')).toMatchObject({ status: 'active' })
  })

  it('leaves them alone when they are kept', async () => {
    const namespace = 'kept'
    await written(namespace)
    const before = await countStores(loom.database)
    expect(await complete(namespace, 'r1', {})).toMatchObject({ retained: { demoted: 0, expired: 0, refused: [] } })
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
  })
})
