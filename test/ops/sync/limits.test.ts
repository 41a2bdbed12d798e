import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { refused } from '../../helpers/errors.ts'
import { ADMIN, AT, change, openServer, ORG, pairDevice, set, type Device } from '../../helpers/push.ts'

const DAY = 24 * 3_600_000
let now = Date.UTC(2026, 5, 1, 12)
/** Milliseconds that pass each time somebody looks at the clock. */
let tick = 0
let server: TestEngine
let alice: Device
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS, clock: () => (now += tick) })
  alice = await pairDevice(server, 'alice', { chat: 'admin' }, {}, () => now)
})
afterAll(() => server.close())

const get = (memory_key: string, more = {}) => server.call('memory.get', { ...AT, memory_key, ...more }, ADMIN)
const run = (statement: string) => sql.raw(statement).execute(server.database.reader)
const outcomes = (results: readonly { outcome: string; code: string }[]) => results.map(({ outcome, code }) => [outcome, code])

/** Something of the store that happens when a version of this key is written, in its transaction. */
async function onVersionOf(key: string, then: string): Promise<void> {
  const name = `on_${createHash('sha256').update(key).digest('hex').slice(0, 12)}`
  await run(`CREATE FUNCTION loom.${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${then} RETURN NEW; END $$`)
  await run(
    `CREATE TRIGGER ${name} BEFORE INSERT ON loom.memory_version FOR EACH ROW WHEN (NEW.memory_key = '${key}') EXECUTE FUNCTION loom.${name}()`,
  )
}

describe('clocks', () => {
  it.each([1, -1])('a device whose clock is %d day off orders its words by the time between, and never later than now', async (days) => {
    const skew = days * DAY
    const key = `clock/${days}`
    const { version } = await server.call('memory.set', { ...AT, memory_key: key, value: `Seen, ${key}.` }, ADMIN)
    now += 10_000_000
    await server.call('memory.set', { ...AT, memory_key: key, value: `Of the server, ${key}.` }, ADMIN)
    now += 10_000_000
    const at = (agoMs: number) => new Date(now + skew - agoMs).toISOString()
    const sent_at = new Date(now + skew).toISOString()
    const older = set(key, `Before it, ${key}.`, { base_version: version, recorded_at: at(15_000_000) })
    const newer = set(key, `After it, ${key}.`, { base_version: version, recorded_at: at(5_000_000) })
    const { results } = await alice.push([older, newer], { sent_at })
    expect(results.map(({ outcome, status }) => [outcome, status])).toEqual([
      ['lost', 'conflicted'],
      ['applied', 'conflicted'],
    ])
    expect(await get(key)).toMatchObject({
      value: `After it, ${key}.`,
      updated_at: newer.recorded_at,
      server_recorded_at: new Date(now).toISOString(),
    })
    // Said a year from now: no later than the server's own now.
    const future = set(key, `From the future, ${key}.`, { recorded_at: new Date(now + 365 * DAY).toISOString() })
    await alice.push([future], { sent_at })
    const { rows } = await sql<{ said_at: Date }>`SELECT said_at FROM loom.memory_version WHERE change_id = ${future.change_id}`.execute(
      server.database.reader,
    )
    expect(rows[0]?.said_at.getTime()).toBe(now)
  })

  it('what was known when: the server goes by when it learned of a row [TIM013]', async () => {
    const recorded_at = new Date(now - 3 * DAY).toISOString()
    await alice.send(set('clock/known', 'Written offline.', { recorded_at }))
    const known = (daysAgo: number) =>
      get('clock/known', { as_of: new Date(now - daysAgo * DAY).toISOString(), as_of_basis: 'knowledge_time' })
    now += DAY
    expect((await known(2)).found).toBe(false)
    expect((await known(0.5)).found).toBe(true)
  })
})

describe('a change that may go better another time', () => {
  it('is not remembered, and those after it on its key wait; the others go on', async () => {
    await onVersionOf(
      'retry/one',
      `IF EXISTS (SELECT 1 FROM loom.blacklist WHERE pattern = 'stop') THEN RAISE EXCEPTION 'no' USING ERRCODE = '40001'; END IF;`,
    )
    await onVersionOf('retry/broken', `RAISE EXCEPTION 'broken' USING ERRCODE = 'P0001';`)
    const { blacklist_id } = await server.call('blacklist.add', { namespace: 'chat', pattern: 'stop' }, ADMIN)
    const one = set('retry/one', 'First.')
    const changes = [
      one,
      set('retry/one', 'Second.', { base_change_id: one.change_id }),
      set('retry/other', 'Of another key.'),
      set('retry/broken', 'Broken.'),
      change('memory.move', { memory_key: 'retry/other', to_key: 'retry/one' }),
    ]
    const { results } = await alice.push(changes)
    expect(outcomes(results)).toEqual([
      ['retry', 'UNAVAILABLE'],
      ['retry', 'UNAVAILABLE'],
      ['applied', ''],
      ['retry', 'INTERNAL'],
      ['retry', 'UNAVAILABLE'],
    ])
    expect(results[0]?.retry_after_s).toBe(2)
    expect((await get('retry/one')).found).toBe(false)
    await server.call('blacklist.remove', { blacklist_id }, ADMIN)
    expect(outcomes((await alice.push(changes.slice(0, 2))).results)).toEqual([
      ['applied', ''],
      ['applied', ''],
    ])
    expect(await get('retry/one')).toMatchObject({ value: 'Second.' })
  })

  it('comes when the 20 seconds of a push are over: the answer is shorter', async () => {
    const changes = Array.from({ length: 30 }, (_, at) => set(`budget/${at}`, `Entry ${at} of a long push.`))
    tick = 1_000
    const first = await alice.push(changes).finally(() => (tick = 0))
    expect(first.results.length).toBeGreaterThan(0)
    expect(first.results.length).toBeLessThan(30)
    const rest = await alice.push(changes.slice(first.results.length))
    expect(rest.results.every(({ outcome }) => outcome === 'applied')).toBe(true)
  })
})

describe('erasures', () => {
  const fence = (seq: number, namespace: string, userId = '') =>
    run(`INSERT INTO loom.erasure_fence (org, seq, namespace, erasure_id, user_sha256, purge, requested_at) VALUES
      ('${ORG}', ${seq}, '${namespace}', 'er_${seq}', '${userId && createHash('sha256').update(`er_${seq}:${userId}`).digest('hex')}', false, now());
      INSERT INTO loom.org (org, erasure_seq, created_at) VALUES ('${ORG}', ${seq}, now()) ON CONFLICT (org) DO UPDATE SET erasure_seq = ${seq}`)

  it('come first: a device behind a fence that it can see is not looked at [ERA031]', async () => {
    const bob = await pairDevice(server, 'bob', { era: 'writer' }, {}, () => now)
    await fence(3, 'elsewhere')
    expect(await bob.push([change('memory.set', { namespace: 'era', memory_key: 'a', value: 'x' })])).toMatchObject({
      erasures_first: false,
      erasure_seq: 0,
    })
    await fence(4, 'era')
    const behind = [set('b', 'y')]
    expect(await bob.push(behind, { erasure_seq: 3 })).toMatchObject({ erasures_first: true, erasure_seq: 4, results: [] })
    expect(
      await bob.push([change('memory.set', { namespace: 'era', memory_key: 'c', value: 'z' }, { erasure_seq: 4 })], { erasure_seq: 4 }),
    ).toMatchObject({
      erasures_first: false,
      results: [{ outcome: 'applied', row: { erasure_seq: '4' } }],
    })
    expect((await server.call('device.list', {}, ADMIN)).devices.find(({ device_id }) => device_id === bob.id)).toMatchObject({
      erasure_seq: 4,
    })
  })

  it('take what was made before they were known, and nothing else [ERA031]', async () => {
    const carl = await pairDevice(server, 'carl', { sep: 'writer' }, {}, () => now)
    await fence(5, 'sep', 'u-1')
    const sent = (user_id: string, erasure_seq: number) =>
      change(
        'memory.set',
        { namespace: 'sep', memory_key: 'k', value: `Of ${user_id} at ${erasure_seq}.`, user_id },
        { erasure_seq, memory_id: v7() },
      )
    const changes = [sent('u-1', 4), sent('u-2', 4), sent('u-1', 5)]
    const { results } = await carl.push(changes, { erasure_seq: 5 })
    expect(results.map(({ outcome, row }) => [outcome, row?.['erasure_seq'] ?? null])).toEqual([
      ['erased', null],
      ['applied', '5'],
      ['applied', '5'],
    ])
    expect((await carl.push(changes.slice(0, 1), { erasure_seq: 5 })).results).toMatchObject([{ outcome: 'erased', replayed: true }])
    // Whoever does not reach a namespace is not told what happened there.
    const away = await pairDevice(server, 'away', { chat: 'writer' }, {}, () => now)
    expect(await away.send(sent('u-1', 0))).toMatchObject({ outcome: 'refused', code: 'FORBIDDEN', row: null })
  })
})

describe('a device whose token ends', () => {
  it('in the middle of a push has what was settled before, and nothing after', async () => {
    const dora = await pairDevice(server, 'dora', { chat: 'writer' }, {}, () => now)
    await onVersionOf('revoke/two', `UPDATE loom.auth_token SET revoked_at = now() WHERE token_id = '${dora.claims.token_id}';`)
    const changes = ['one', 'two', 'three'].map((name) => set(`revoke/${name}`, `Number ${name} of Dora.`))
    expect(outcomes((await dora.push(changes)).results)).toEqual([
      ['applied', ''],
      ['applied', ''],
    ])
    expect((await get('revoke/three')).found).toBe(false)
    await refused(dora.push(changes.slice(2)), 'UNAUTHENTICATED')
  })
})
