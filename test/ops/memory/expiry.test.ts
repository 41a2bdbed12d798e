import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

const SECOND = 1000
const DAY = 24 * 3600 * SECOND
const YEAR = 365 * DAY

describe('expiry', () => {
  let loom: TestEngine
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const get = (memory_key: string, more: object = {}) => loom.call('memory.get', { memory_key, ...more })
  const sweep = () => loom.engine.runDueJobs()
  const later = (ms: number): string => new Date(now + ms).toISOString()
  const after = async <T>(ms: number, look: () => Promise<T>): Promise<T> => {
    const at = now
    now += ms
    try {
      return await look()
    } finally {
      now = at
    }
  }
  const rawVersions = (id: string) =>
    sql<{ text: string }>`SELECT v::text AS text FROM loom.memory_version v WHERE memory_id = ${id}`.execute(loom.database.reader)

  it('[EXP001] never comes to a row that names none and that no window fits', async () => {
    const { memory_id } = await set('never/expires', 'The north wall is older than the tower.')
    expect(await get('never/expires')).toMatchObject({ expires_at: null, expire_reason: '' })
    await after(10 * YEAR, async () => {
      expect(await get('never/expires')).toMatchObject({ found: true })
      expect((await loom.call('memory.search', { query: 'north wall tower' })).results.map((hit) => hit.memory_id)).toContain(memory_id)
    })
  })

  it('[EXP002] comes at ttl_seconds and at valid_to, the earlier of both', async () => {
    await set('by/ttl', 'The scaffold stands for a minute.', { ttl_seconds: 60 })
    await set('by/end', 'The stage is open until noon.', { valid_to: later(60 * SECOND) })
    await set('by/both', 'The gate is guarded for a while.', { ttl_seconds: 600, valid_to: later(60 * SECOND) })
    for (const key of ['by/ttl', 'by/end', 'by/both']) {
      expect(await get(key)).toMatchObject({ found: true, expires_at: later(60 * SECOND) })
      await after(59 * SECOND, async () => expect(await get(key)).toMatchObject({ found: true }))
      await after(60 * SECOND, async () => expect(await get(key)).toMatchObject({ found: false, reason: 'expired' }))
    }
  })

  it('[EXP004] takes tombstone when on_expire is left out, stores each of the three, and refuses another', async () => {
    for (const on_expire of ['tombstone', 'demote', 'anonymize'] as const) {
      await set(`on/${on_expire}`, `A row that will ${on_expire} quietly.`, { ttl_seconds: 5000, on_expire })
      expect(await get(`on/${on_expire}`)).toMatchObject({ on_expire })
    }
    await set('on/default', 'A row whose writer said nothing of its end.', { ttl_seconds: 5000 })
    expect(await get('on/default')).toMatchObject({ on_expire: 'tombstone' })
    const before = await countStores(loom.database)
    await refused(set('on/burn', 'A row that would burn.', { on_expire: 'burn' }), 'INVALID_ARGUMENT')
    expect(await countStores(loom.database)).toEqual(before)
  })

  it('[EXP005] tombstones what expired, with a version and an audit row, and it can be restored', async () => {
    const { version } = await set('swept/away', 'The lift is out of order today.', { ttl_seconds: 60 })
    now += 61 * SECOND
    expect(await sweep()).toContain('expiry')
    expect(await get('swept/away')).toMatchObject({ found: false, reason: 'deleted' })
    const { rows } = await loom.call('memory.history', { memory_key: 'swept/away' })
    expect(rows[0]).toMatchObject({ op: 'worker:expiry', status: 'tombstoned' })
    expect(rows[0]!.version > version).toBe(true)
    const audit = await loom.database.reader
      .selectFrom('audit')
      .selectAll()
      .where('op', '=', 'worker:expiry')
      .where('memory_key', '=', 'swept/away')
      .execute()
    expect(audit).toMatchObject([{ memory_key: 'swept/away', actor: 'worker:expiry', origin: 'worker' }])
    expect(rows).toHaveLength(2)
    expect(await loom.call('memory.restore', { memory_key: 'swept/away' })).toMatchObject({ restored: true, expires_at: null })
  })

  it('[EXP006] keeps a demoted row live, with half its confidence and no expiry any more', async () => {
    await set('half/sure', 'The vendor ships on the first Monday.', { ttl_seconds: 60, on_expire: 'demote', confidence: 0.8 })
    await after(90 * SECOND, async () => {
      expect(await get('half/sure')).toMatchObject({ found: true, confidence: 0.8 })
    })
    now += 90 * SECOND
    await sweep()
    expect(await get('half/sure')).toMatchObject({
      found: true,
      status: 'active',
      confidence: 0.4,
      expires_at: null,
      value: 'The vendor ships on the first Monday.',
    })
    now += DAY
    await sweep()
    expect(await get('half/sure')).toMatchObject({ confidence: 0.4 })
  })

  it('[EXP007] leaves nothing of the text of an anonymized row, in the row, its history, its vectors or the index', async () => {
    const { memory_id } = await set('gone/name', 'Odalys Quintero lives at the harbour.', {
      entities: ['Odalys Quintero'],
      files: ['people/odalys.md'],
      source_trace: 'crm/odalys',
    })
    await set('gone/name', 'Odalys Quintero moved to the hills.', { ttl_seconds: 60, on_expire: 'anonymize', source_trace: 'crm/odalys' })
    now += 61 * SECOND
    await sweep()
    expect(await get('gone/name')).toMatchObject({
      found: true,
      status: 'active',
      value: '[anonymized]',
      entities: [],
      files: [],
      source_trace: '',
      source_class: 'system',
      expires_at: null,
    })
    const versions = (await rawVersions(memory_id)).rows.map((row) => row.text).join('\n')
    expect(versions).not.toMatch(/odalys|quintero|harbour/i)
    expect(await loom.database.reader.selectFrom('memory_embedding').select('axis').where('memory_id', '=', memory_id).execute()).toEqual(
      [],
    )
    expect(
      (await loom.call('memory.search', { query: 'Odalys Quintero hills', include_top_n_unmatched: 50 })).results.map(
        (hit) => hit.memory_key,
      ),
    ).not.toContain('gone/name')
    const { rows } = await loom.call('memory.history', { memory_key: 'gone/name' })
    expect(rows.map((row) => row.redacted)).toEqual([false, true, true])
    now += 61 * SECOND
    await sweep()
    expect((await loom.call('memory.history', { memory_key: 'gone/name' })).rows).toHaveLength(3)
    expect(await loom.database.reader.selectFrom('memory_embedding').select('axis').where('memory_id', '=', memory_id).execute()).toEqual(
      [],
    )
  })

  it('waits for the end of a lock: read_only for everything, no_delete for all but a demotion', async () => {
    const lock = (memory_key: string, mode: 'read_only' | 'no_delete') =>
      loom.call('memory.lock', { memory_key, mode, reason: 'hold', ttl_seconds: 600 })
    await set('held/all', 'The blue ledger is under review.', { ttl_seconds: 60, on_expire: 'demote' })
    await set('held/kept', 'The green ledger is under review too, on paper.', { ttl_seconds: 60 })
    await set('held/demoted', 'The red ledger went to the auditors in June.', { ttl_seconds: 60, on_expire: 'demote' })
    await lock('held/all', 'read_only')
    await lock('held/kept', 'no_delete')
    await lock('held/demoted', 'no_delete')
    now += 61 * SECOND
    await sweep()
    expect(await get('held/all')).toMatchObject({ confidence: 1 })
    expect(await get('held/kept')).toMatchObject({ reason: 'expired' })
    expect(await get('held/demoted')).toMatchObject({ confidence: 0.5 })
    now += 600 * SECOND
    await sweep()
    expect(await get('held/all')).toMatchObject({ confidence: 0.5 })
    expect(await get('held/kept')).toMatchObject({ reason: 'deleted' })
  })

  it('[EXP009] stays in force when other fields are edited', async () => {
    await set('kept/expiry', 'The pass is valid for the morning.', { ttl_seconds: 600, expire_reason: 'day pass', on_expire: 'demote' })
    const first = await get('kept/expiry')
    now += 5 * SECOND
    await set('kept/expiry', 'The pass is valid for the whole morning, by the east door.')
    expect(await get('kept/expiry')).toMatchObject({ expires_at: first['expires_at'], on_expire: 'demote', expire_reason: 'day pass' })
    await loom.call('memory.update', { memory_key: 'kept/expiry', tags: ['pass'] })
    expect(await get('kept/expiry')).toMatchObject({ expires_at: first['expires_at'] })
  })
})
