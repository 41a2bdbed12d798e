import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { countStores } from '../../helpers/store-counts.ts'

describe('memory.touch', () => {
  let loom: TestEngine
  let now = Date.now()
  beforeAll(async () => {
    loom = await openTestEngine({ clock: () => now })
  })
  afterAll(() => loom.close())

  const set = (memory_key: string, value: unknown, more: object = {}) => loom.call('memory.set', { memory_key, value, ...more } as never)
  const touch = (more: object) => loom.call('memory.touch', more)
  const get = (memory_key: string) => loom.call('memory.get', { memory_key })
  const later = (seconds: number) => new Date(now + seconds * 1000).toISOString()

  it('changes the expiry and leaves value, hash and version alone [CHG005]', async () => {
    const row = await set('visit', 'The auditors visit on the third floor.', { on_expire: 'demote', expire_reason: 'short visit' })
    const before = await countStores(loom.database)
    expect(await touch({ memory_key: 'visit', ttl_seconds: 600 })).toEqual({
      touched: 1,
      rows: [{ memory_key: 'visit', memory_id: row.memory_id, touched: true, reason: '', expires_at: later(600) }],
      dry_run: false,
    })
    expect(await get('visit')).toMatchObject({
      value: 'The auditors visit on the third floor.',
      content_sha256: row.content_sha256,
      version: row.version,
      expires_at: later(600),
      on_expire: 'demote',
      expire_reason: 'short visit',
    })
    expect(await countStores(loom.database)).toEqual({ ...before, audit: before.audit + 1 })
    await touch({ memory_key: 'visit', until: later(60), on_expire: 'tombstone', expire_reason: 'shorter' })
    expect(await get('visit')).toMatchObject({ expires_at: later(60), on_expire: 'tombstone', expire_reason: 'shorter' })
    await touch({ memory_key: 'visit', clear_expiry: true })
    expect(await get('visit')).toMatchObject({ expires_at: null, version: row.version })
  })

  it('takes effect in the very next search', async () => {
    await set('parking', 'Parking space 14 is reserved for the plumber.')
    await touch({ memory_key: 'parking', ttl_seconds: 30 })
    const find = async () => (await loom.call('memory.search', { query: 'who has parking space 14' })).results.map((hit) => hit.memory_key)
    expect(await find()).toContain('parking')
    now += 31_000
    expect(await find()).not.toContain('parking')
    expect((await touch({ memory_key: 'parking', ttl_seconds: 30 })).rows).toMatchObject([{ touched: false, reason: 'expired' }])
  })

  it('never reaches past valid_to, and takes over from a retention window', async () => {
    await set('lease', 'The lease of the annex runs out soon.', { valid_to: later(3600) })
    expect((await touch({ memory_key: 'lease', ttl_seconds: 7200 })).rows[0]).toMatchObject({ touched: true, expires_at: later(3600) })
    const { memory_id } = await set('window', 'A row whose expiry a window has set.')
    await loom.database.transaction((tx) =>
      tx
        .updateTable('memory')
        .set({ expires_at: new Date(now + 60_000), expire_reason: 'retention:semantic' })
        .where('memory_id', '=', memory_id)
        .execute(),
    )
    await touch({ memory_key: 'window', ttl_seconds: 7200 })
    expect(await get('window')).toMatchObject({ expires_at: later(7200), expire_reason: '' })
  })

  it('takes 1,000 keys, and refuses 1,001 whole [CHG006]', async () => {
    await set('listed', 'The listed row is one of a thousand.')
    const keys = (count: number) => ['listed', ...Array.from({ length: count - 1 }, (_, at) => `none/${at}`)]
    const before = await get('listed')
    expect((await refused(touch({ memory_keys: keys(1001), ttl_seconds: 900 }), 'INVALID_ARGUMENT')).fields).toEqual({
      field: 'memory_keys',
    })
    expect(await get('listed')).toMatchObject({ expires_at: before.expires_at })
    const answer = await touch({ memory_keys: keys(1000), ttl_seconds: 900 })
    expect(answer.touched).toBe(1)
    expect(answer.rows).toHaveLength(1000)
    expect(answer.rows[999]).toMatchObject({ memory_key: 'none/998', touched: false, reason: 'not_found' })
    expect(await get('listed')).toMatchObject({ expires_at: later(900) })
  })

  it('refuses one key as a whole, and in a list says why of each', async () => {
    await set('double', 'The double of the first agent.', { agent: 'a' })
    await set('double', 'Something else of the second agent.', { agent: 'b' })
    await set('held', 'Held by a lock.')
    await loom.call('memory.lock', { memory_key: 'held', reason: 'audit' })
    await refused(touch({ memory_key: 'double', ttl_seconds: 60 }), 'AMBIGUOUS_KEY')
    await refused(touch({ memory_key: 'held', ttl_seconds: 60 }), 'LOCKED')
    const { rows } = await touch({ memory_keys: ['double', 'held', 'listed'], ttl_seconds: 60, dry_run: true })
    expect(rows.map((row) => row.reason)).toEqual(['ambiguous', 'locked', ''])
    expect((await get('listed')).expires_at).not.toBe(later(60))
    expect((await touch({ memory_key: 'double', agent: 'b', ttl_seconds: 60 })).touched).toBe(1)
  })

  it('wants one target and one expiry, ahead', async () => {
    const bad = [
      {},
      { memory_key: 'visit' },
      { memory_key: 'visit', memory_keys: ['visit'], ttl_seconds: 5 },
      { memory_key: 'visit', ttl_seconds: 5, clear_expiry: true },
      { memory_key: 'visit', until: later(-5) },
      { memory_key: 'visit', ttl_seconds: 5, expire_reason: 'retention:mine' },
    ]
    for (const input of bad) await refused(touch(input), 'INVALID_ARGUMENT')
  })
})
