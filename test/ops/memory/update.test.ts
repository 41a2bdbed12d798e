import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores, reinforcementOf } from '../../helpers/store-counts.ts'

describe('memory.update and memory.update_by_id', () => {
  let loom: TestEngine
  let now = Date.now()
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const update = (memory_key: string, more: object) => loom.call('memory.update', { memory_key, ...more })
  const get = (memory_key: string, more: object = {}) => loom.call('memory.get', { memory_key, ...more })

  it('corrects a pinned row wherever it is, and keeps what it does not name [CHG003, CHG058]', async () => {
    const first = await set('svc/region', 'The service runs in Frankfurt.', {
      agent: 'other',
      pinned: true,
      tags: ['infra'],
      confidence: 0.8,
      entities: ['Frankfurt'],
      valid_at: '2026-01-01',
      source_trace: 'wiki/1',
      relations: [['service', 'runs in', 'Frankfurt']],
    })
    const updated = await update('svc/region', { value: 'The service runs in Dublin.' })
    expect(updated).toMatchObject({ updated: true, reason: '', memory_id: first.memory_id, pinned: true, noop: false })
    expect(updated.version > first.version).toBe(true)
    expect(await get('svc/region', { agent: 'other' })).toMatchObject({
      value: 'The service runs in Dublin.',
      pinned: true,
      tags: ['infra'],
      confidence: 0.8,
      entities: ['frankfurt'],
      source_trace: 'wiki/1',
      relations: [{ subject: 'service', predicate: 'runs in', object: 'Frankfurt' }],
      agent: 'other',
    })
    expect((await loom.call('memory.search', { query: 'where does the service run' })).results[0]).toMatchObject({
      memory_key: 'svc/region',
    })
  })

  it('settles a conflict by correcting the peer, as `next` proposes', async () => {
    await set('deploy/window/prod', 'Production deploys run Tuesday and Thursday only; never Friday.')
    const against = await set('ops/deploys', 'Production deploys run Monday to Thursday.')
    expect(against.next).toBe("memory.update(memory_key='deploy/window/prod', value=…)")
    const updated = await update('deploy/window/prod', { value: 'Production deploys run on Tuesday and Thursday.' })
    expect(updated.updated).toBe(true)
  })

  it('answers not_found for no live row, and creates nothing [CHG018]', async () => {
    const before = await countStores(loom.database)
    expect(await update('nowhere', { value: 'x' })).toMatchObject({ updated: false, reason: 'not_found', memory_id: '', version: 0n })
    await set('dead', 'A dead row.')
    await loom.call('memory.delete', { memory_key: 'dead' })
    expect(await update('dead', { value: 'x' })).toMatchObject({ updated: false, reason: 'not_found' })
    expect((await countStores(loom.database)).rows).toBe(before.rows + 1)
  })

  it('calls several live rows ambiguous, and narrows by identity [CHG015, CHG016, CHG019]', async () => {
    await set('twin', 'The first twin likes chess.', { agent: 'a' })
    await set('twin', 'The second twin plays the violin.', { agent: 'b' })
    const error = await refused(update('twin', { value: 'x' }), 'AMBIGUOUS_KEY')
    expect(error.fields['candidates']).toHaveLength(2)
    await refused(update('twin', { value: 'x', agent: '*', user_id: '-' }), 'AMBIGUOUS_KEY')
    expect(await update('twin', { agent: 'b', value: 'The second twin plays the cello.' })).toMatchObject({ updated: true })
    expect(await get('twin', { agent: 'a' })).toMatchObject({ value: 'The first twin likes chess.' })
  })

  it('updates one row by its id and leaves its siblings [CHG004]', async () => {
    const one = await set('sibling', 'Sibling one collects stamps.', { agent: 'a' })
    await set('sibling', 'Sibling two repairs bicycles.', { agent: 'b' })
    const updated = await loom.call('memory.update_by_id', { memory_id: one.memory_id, value: 'Sibling one collects coins.' })
    expect(updated).toMatchObject({ updated: true, memory_key: 'sibling' })
    expect(await get('sibling', { agent: 'b' })).toMatchObject({ value: 'Sibling two repairs bicycles.' })
    expect(await loom.call('memory.update_by_id', { memory_id: 'unknown', value: 'x' })).toMatchObject({
      updated: false,
      reason: 'not_found',
    })
  })

  it('stores an equal text held elsewhere as a duplicate, never merged', async () => {
    await set('fact/one', 'The canteen opens at eight.')
    await set('fact/two', 'The gym is on the third floor.')
    expect(await update('fact/two', { value: 'The canteen opens at eight.' })).toMatchObject({
      conflict_verdict: 'duplicate',
      status: 'duplicate',
      updated: true,
    })
    expect(await update('fact/two', { value: 'The gym is on the fourth floor.' })).toMatchObject({ status: 'active' })
  })

  it('is refused near another pin, and stores nothing', async () => {
    await set('rule/pin', 'Backups are kept for 30 days.', { pinned: true })
    await set('rule/other', 'The printer is in room 12.')
    const before = await countStores(loom.database)
    expect(await update('rule/other', { value: 'Backups are kept for 90 days.' })).toMatchObject({
      updated: false,
      reason: 'rejected',
      conflict_verdict: 'rejected',
    })
    expect(await countStores(loom.database)).toEqual(before)
  })

  it('reinforces when nothing changes, and wants something to change', async () => {
    const row = await set('same', 'Nothing changes here.')
    expect(await update('same', { value: 'Nothing changes here.' })).toMatchObject({ updated: true, noop: true, version: row.version })
    expect(await reinforcementOf(loom.database, row.memory_id)).toBe(1)
    await refused(update('same', {}), 'INVALID_ARGUMENT')
  })

  it('revives an expired row only when asked [CHG021]', async () => {
    await set('brief', 'The guest network is open this hour.', { ttl_seconds: 60 })
    now += 61_000
    await refused(update('brief', { value: 'The guest network is open again.' }), 'EXPIRED')
    expect(await update('brief', { value: 'The guest network is open again.', revive: true })).toMatchObject({ updated: true })
    expect(await get('brief')).toMatchObject({ found: true, expires_at: null })
  })

  it('takes the hash of the live row, and refuses a stale one [PRE006]', async () => {
    const row = await set('hash', 'The hash is checked.')
    const error = await refused(update('hash', { value: 'Changed.', if_match_sha256: 'stale' }), 'PRECONDITION_FAILED')
    expect(error.fields).toEqual({ current_sha256: row.content_sha256 })
    expect(await update('hash', { value: 'Changed with the right hash.', if_match_sha256: row.content_sha256 })).toMatchObject({
      updated: true,
    })
    await refused(
      loom.call('memory.update_by_id', { memory_id: row.memory_id, value: 'Again.', if_match_sha256: row.content_sha256 }),
      'PRECONDITION_FAILED',
    )
  })

  it('is refused by a lock, and by the value gates', async () => {
    await set('locked', 'Locked as it is.')
    await loom.call('memory.lock', { memory_key: 'locked', reason: 'audit' })
    await refused(update('locked', { value: 'Changed.' }), 'LOCKED')
    expect(await update('locked', { tags: ['ok'] })).toMatchObject({ updated: true })
    await refused(update('fact/one', { value: 'Too long.', char_limit: 3 }), 'CHAR_LIMIT_EXCEEDED')
  })
})
