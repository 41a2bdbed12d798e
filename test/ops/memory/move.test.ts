import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('memory.move', () => {
  let loom: TestEngine
  beforeAll(async () => {
    loom = await openTestEngine()
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = (memory_key: string, more: object = {}) => loom.call('memory.get', { memory_key, ...more })
  const move = (memory_key: string, to_key: string, more: object = {}) => loom.call('memory.move', { memory_key, to_key, ...more })

  it('carries the fact with all that hangs on it [CHG030]', async () => {
    const fields = {
      agent: 'mover',
      user_id: 'u1',
      session_id: 's1',
      tags: ['Infra'],
      entities: ['Frankfurt'],
      files: ['deploy/region.ts'],
      relations: [['service', 'runs in', 'Frankfurt']],
      confidence: 0.7,
      valid_at: '2026-01-02T03:04:05.000Z',
      valid_to: '2036-01-02T03:04:05.000Z',
      on_expire: 'demote',
      source_class: 'imported',
      source_trace: 'wiki/1',
      source_resource_id: 'https://wiki/1',
      run_id: 'run-1',
      pinned: true,
      char_limit: 500,
    }
    await set('old/name', `The service runs in Frankfurt. ${'It is told at length. '.repeat(15)}`, fields)
    await set('friend', 'Friends of the service meet weekly.', { agent: 'mover', user_id: 'u1', session_id: 's1' })
    await loom.call('namespace.register_category', { category: 'Places' })
    await loom.call('memory.assign_category', { memory_key: 'old/name', category: 'places' })
    await loom.call('memory.link', { memory_key: 'friend', to_key: 'old/name', relation: 'supports' })
    await loom.call('memory.outcome', { memory_key: 'old/name', outcome: 'positive', weight: 4 })
    await loom.call('memory.verify', { memory_key: 'old/name' })
    const before = await get('old/name', { agent: 'mover', user_id: 'u1', session_id: 's1' })

    const moved = await move('old/name', 'new/name')
    expect(moved).toMatchObject({ moved: true, reason: '', redirect: true, source_memory_id: before.memory_id })
    expect(moved.memory_id).not.toBe(before.memory_id)
    const after = await get('new/name', { agent: 'mover', user_id: 'u1', session_id: 's1' })
    expect(after).toEqual({
      ...before,
      memory_key: 'new/name',
      memory_id: moved.memory_id,
      version: moved.version,
      version_text: moved.version_text,
      updated_at: after.updated_at,
      served_count: after.served_count,
    })
    expect(after).toMatchObject({
      categories: ['Places'],
      acted_count: 4,
      verified: true,
      pinned: true,
      char_limit: 500,
      files: ['deploy/region.ts'],
    })
    expect(after.relations).toHaveLength(1)
    // The link leads to the row under its new key: linking anew finds it there, and changes nothing.
    const audits = (await countStores(loom.database)).audit
    expect(await loom.call('memory.link', { memory_key: 'friend', to_key: 'new/name', relation: 'supports' })).toMatchObject({
      linked: true,
    })
    expect((await countStores(loom.database)).audit).toBe(audits)
  })

  it('keeps the old key readable as a redirect, in one audit row [CHG009, CHG031]', async () => {
    await set('redirect/a', 'The kettle is descaled in June.')
    // The vector of its key too.
    await loom.engine.runDueJobs()
    const before = await countStores(loom.database)
    const moved = await move('redirect/a', 'redirect/b')
    expect(await countStores(loom.database)).toMatchObject({
      rows: before.rows + 1,
      versions: before.versions + 2,
      audit: before.audit + 1,
      vectors: before.vectors,
    })
    const audit = await loom.database.reader
      .selectFrom('audit')
      .selectAll()
      .where('op', '=', 'memory.move')
      .where('memory_key', '=', 'redirect/a')
      .execute()
    expect(audit).toMatchObject([{ to_key: 'redirect/b', content_sha256: moved.content_sha256 }])

    expect(await get('redirect/a')).toMatchObject({
      found: true,
      status: 'redirect',
      value: null,
      canonical_key: 'redirect/b',
      content_sha256: '',
    })
    expect(await get('redirect/a', { follow: true })).toMatchObject({
      memory_key: 'redirect/b',
      value: 'The kettle is descaled in June.',
      resolved_from: 'redirect/a',
    })
    expect((await loom.call('memory.search', { query: 'when is the kettle descaled' })).results.map((hit) => hit.memory_key)).toEqual([
      'redirect/b',
    ])
    expect((await loom.call('memory.list', { key_prefix: 'redirect/' })).rows.map((row) => row.memory_key)).toEqual(['redirect/b'])
    expect(await move('redirect/a', 'redirect/b')).toMatchObject({
      moved: true,
      redirect: true,
      memory_id: moved.memory_id,
      version: moved.version,
    })
    expect((await countStores(loom.database)).audit).toBe(before.audit + 1)
  })

  it('points earlier redirects, duplicates and open pairs at the new key', async () => {
    await set('chain/a', 'The archive is kept in the cellar.')
    await move('chain/a', 'chain/b')
    const twin = await set('chain/twin', 'The archive is kept in the cellar.', { run_id: 'another' })
    expect(twin).toMatchObject({ status: 'duplicate' })
    const rival = await set('chain/rival', 'The archive is kept in the attic.')
    expect(rival).toMatchObject({ conflict_verdict: 'conflict' })
    const moved = await move('chain/b', 'chain/c')
    expect(await get('chain/a')).toMatchObject({ status: 'redirect', canonical_key: 'chain/c' })
    expect(await get('chain/a', { follow: true })).toMatchObject({ memory_key: 'chain/c' })
    expect(await get('chain/twin')).toMatchObject({ duplicate_of: moved.memory_id, canonical_key: 'chain/c' })
    const hits = (await loom.call('memory.search', { query: 'where is the archive kept' })).results
    expect(hits.find((hit) => hit.memory_key === 'chain/rival')?.conflicts).toEqual(['chain/c'])
    // And back: the redirect is taken over on its own memory_id.
    const back = await move('chain/c', 'chain/a')
    expect(await get('chain/a')).toMatchObject({ status: 'active', memory_id: back.memory_id, value: 'The archive is kept in the cellar.' })
    expect(await get('chain/b')).toMatchObject({ canonical_key: 'chain/a' })
  })

  it('leaves a tombstone without a redirect [CHG032]', async () => {
    await set('plain/a', 'The window sticks in winter.')
    expect(await move('plain/a', 'plain/b', { keep_redirect: false })).toMatchObject({ moved: true, redirect: false })
    expect(await get('plain/a')).toMatchObject({ found: false, reason: 'deleted', next: 'memory.search' })
    expect(await get('plain/b')).toMatchObject({ found: true, value: 'The window sticks in winter.' })
    // The fact is not gone: there is nothing to restore.
    expect(await loom.call('memory.restore', { memory_key: 'plain/a' })).toMatchObject({ restored: false, reason: 'not_found' })
  })

  it('is refused where the target holds a fact, and takes a retired one over [CHG033]', async () => {
    await set('from', 'The source row of a move.')
    const target = await set('to', 'Plums ripen in August.')
    const before = await countStores(loom.database)
    expect((await refused(move('from', 'to'), 'KEY_HOLDS_FACT')).fields).toMatchObject({ memory_key: 'to', memory_id: target.memory_id })
    expect(await countStores(loom.database)).toEqual(before)
    await loom.call('memory.delete', { memory_key: 'to' })
    expect(await move('from', 'to')).toMatchObject({ moved: true, memory_id: target.memory_id })
    expect((await loom.call('memory.history', { memory_key: 'to' })).rows.map((row) => [row.op, row.value])).toEqual([
      ['memory.move', 'The source row of a move.'],
      ['memory.delete', 'Plums ripen in August.'],
      ['memory.set', 'Plums ripen in August.'],
    ])
  })

  it('checks lock, hash and keys, and writes nothing in a dry run', async () => {
    const row = await set('guarded', 'The guarded row stays where it is.')
    const before = await countStores(loom.database)
    expect(await move('guarded', 'elsewhere', { dry_run: true })).toMatchObject({
      moved: true,
      dry_run: true,
      content_sha256: row.content_sha256,
    })
    expect((await refused(move('guarded', 'elsewhere', { if_match_sha256: 'stale' }), 'PRECONDITION_FAILED')).fields).toEqual({
      current_sha256: row.content_sha256,
    })
    await refused(move('guarded', 'guarded'), 'INVALID_ARGUMENT')
    expect(await move('nowhere', 'elsewhere')).toMatchObject({ moved: false, reason: 'not_found' })
    expect(await countStores(loom.database)).toEqual(before)
    for (const mode of ['no_delete', 'read_only'] as const) {
      await loom.call('memory.lock', { memory_key: 'guarded', mode, reason: 'audit' })
      await refused(move('guarded', 'elsewhere'), 'LOCKED')
    }
  })
})
