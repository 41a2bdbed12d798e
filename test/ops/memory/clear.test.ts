import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('memory.clear', () => {
  let loom: TestEngine
  let now = Date.now()
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const as = (more: Partial<Claims>) => ({ claims: { ...localClaims('human', 'local'), ...more } })
  const set = (memory_key: string, more: object = {}) =>
    loom.call('memory.set', { memory_key, value: `Claim ${memory_key} stands alone among others.`, ...more })
  const clear = (more: object) => loom.call('memory.clear', more as never)
  const get = (memory_key: string, more: object = {}) => loom.call('memory.get', { memory_key, ...more })

  it('wants admin and the name of its subject [CHG012]', async () => {
    const row = await set('kept', { agent: 'doomed' })
    await refused(loom.call('memory.clear', { agent: 'doomed', confirm_subject: 'doomed' }, as({ grants: { '*': 'writer' } })), 'FORBIDDEN')
    for (const bad of [
      { agent: 'doomed' },
      { agent: 'doomed', confirm_subject: 'Doomed' },
      { confirm_subject: 'doomed' },
      { agent: '*', confirm_subject: '*' },
      { user_id: '-', confirm_subject: '-' },
    ]) {
      expect((await refused(clear(bad), 'INVALID_ARGUMENT')).fields).toEqual({ field: 'confirm_subject' })
    }
    expect((await refused(clear({ agent: 'x', user_id: 'x', confirm_subject: 'x' }), 'INVALID_ARGUMENT')).fields).toEqual({
      field: 'subject_type',
    })
    expect(await get('kept', { agent: 'doomed' })).toMatchObject({ version: row.version })
  })

  it('tombstones every row of one agent under its version, and no others [CHG013, CHG054]', async () => {
    const rows = [
      await set('one', { agent: 'doomed' }),
      await set('two', { agent: 'doomed', user_id: 'u1' }),
      await set('three', { agent: 'doomed', session_id: 's1', pinned: true }),
    ]
    await set('locked', { agent: 'doomed' })
    await loom.call('memory.lock', { memory_key: 'locked', mode: 'no_delete', reason: 'audit' })
    await loom.call('memory.reject', { memory_key: 'kept', agent: 'doomed' })
    await set('spared', { agent: 'spared', user_id: 'u1' })
    const before = await countStores(loom.database)

    expect(await clear({ agent: 'doomed', confirm_subject: 'doomed', dry_run: true })).toMatchObject({ cleared: 4, refused_count: 1 })
    expect(await countStores(loom.database)).toEqual(before)
    const answer = await clear({ agent: 'doomed', confirm_subject: 'doomed' })
    expect(answer).toMatchObject({ subject_type: 'agent', subject: 'doomed', cleared: 4, refused_count: 1 })
    expect(answer.refused).toMatchObject([{ memory_key: 'locked', agent: 'doomed', code: 'LOCKED' }])
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 4 })

    for (const row of rows) {
      const got = await loom.call('memory.get_by_id', { memory_id: row.memory_id })
      expect(got).toMatchObject({ found: false, reason: 'deleted' })
      const history = await loom.call('memory.history', { memory_id: row.memory_id })
      expect(history).toMatchObject({ head_status: 'tombstoned', rows: [{ version: row.version }] })
    }
    expect(await get('spared', { agent: 'spared', user_id: 'u1' })).toMatchObject({ found: true })
    expect(await get('locked', { agent: 'doomed' })).toMatchObject({ found: true })
    const found = (await loom.call('memory.search', { query: 'which claim stands alone', top_k: 20 })).results.map((hit) => hit.memory_key)
    expect(found.sort()).toEqual(['locked', 'spared'])
    expect(await clear({ agent: 'doomed', confirm_subject: 'doomed' })).toMatchObject({ cleared: 0, refused_count: 1 })
  })

  it('can be undone for 14 days', async () => {
    const restored = await loom.call('memory.restore', { memory_key: 'three', agent: 'doomed' })
    expect(restored).toMatchObject({ restored: true, from: 'tombstoned' })
    expect(await get('three', { agent: 'doomed', session_id: 's1' })).toMatchObject({
      found: true,
      pinned: true,
      version: restored.version,
    })
    now += 15 * 24 * 3600 * 1000
    expect(await loom.call('memory.restore', { memory_key: 'one', agent: 'doomed' })).toMatchObject({ reason: 'too_old' })
  })

  it('clears one user under every agent [CHG013]', async () => {
    await set('u/a', { agent: 'a', user_id: 'u9' })
    await set('u/b', { agent: 'b', user_id: 'u9', session_id: 's' })
    await set('u/c', { agent: 'a', user_id: 'u8' })
    expect(await clear({ agent: 'a', user_id: 'u9', confirm_subject: 'u9' })).toMatchObject({ subject_type: 'user', cleared: 2 })
    expect(await get('u/c', { agent: 'a', user_id: 'u8' })).toMatchObject({ found: true })
  })

  it('goes on past 500 rows', async () => {
    const { memory_id } = await set('many', { agent: 'many' })
    await sql`INSERT INTO loom.memory SELECT (jsonb_populate_record(m, jsonb_build_object('memory_id', 'copy-' || n, 'memory_key', 'many/' || n))).*
      FROM loom.memory m, generate_series(1, 1100) AS n WHERE m.memory_id = ${memory_id}`.execute(loom.database.reader)
    expect(await clear({ agent: 'many', confirm_subject: 'many' })).toMatchObject({ cleared: 1101 })
    expect(await clear({ agent: 'many', confirm_subject: 'many' })).toMatchObject({ cleared: 0 })
  })

  it('lets a bound token clear its own user alone', async () => {
    await set('b/1', { agent: 'a', user_id: 'mine' })
    const bound = as({ user_id: 'mine', agent: 'a' })
    await refused(loom.call('memory.clear', { agent: 'a', confirm_subject: 'a' }, bound), 'FORBIDDEN')
    await refused(loom.call('memory.clear', { user_id: 'theirs', confirm_subject: 'theirs' }, bound), 'FORBIDDEN')
    expect(await loom.call('memory.clear', { user_id: 'mine', confirm_subject: 'mine' }, bound)).toMatchObject({ cleared: 1 })
  })
})
