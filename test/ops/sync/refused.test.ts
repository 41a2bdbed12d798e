import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testModels } from '../../helpers/models.ts'
import type { TestEngine } from '../../helpers/engine.ts'
import { ADMIN, AT, change, openServer, pairDevice, set, type Device } from '../../helpers/push.ts'

let now = Date.UTC(2026, 5, 1, 12)
let server: TestEngine
let alice: Device
beforeAll(async () => {
  server = await openServer({ models: await testModels(), clock: () => now })
  alice = await pairDevice(server, 'alice', { chat: 'writer', open: 'viewer' }, {}, () => now)
})
afterAll(() => server.close())

const get = (memory_key: string) => server.call('memory.get', { ...AT, memory_key }, ADMIN)
const write = (memory_key: string, value: string, more = {}) => server.call('memory.set', { ...AT, memory_key, value, ...more }, ADMIN)
const history = async (memory_key: string) => server.call('memory.history', { ...AT, memory_key }, ADMIN)

describe('a value that a guard of the server stands against', () => {
  it('is kept as a lost version under a lock and under a pin, and the row comes back [CHG024] [VER007]', async () => {
    for (const [key, value, code, guard] of [
      ['guard/locked', 'Invoices go out on Fridays.', 'LOCKED', { op: 'memory.lock', args: { reason: 'audited' } }],
      ['guard/pinned', 'Lena plays the cello.', 'PINNED_CONFLICT', { op: 'memory.pin', args: { value: 'Lena plays the cello.' } }],
    ] as const) {
      const { version } = await write(key, value)
      await server.call(guard.op, { ...AT, memory_key: key, ...guard.args }, ADMIN)
      const result = await alice.send(set(key, `Alice on ${key}.`, { base_version: version }))
      expect(result).toMatchObject({ outcome: 'lost', code, status: 'rejected', row: { value: JSON.stringify(value) } })
      expect(result.message).toContain(key)
      expect(await get(key)).toMatchObject({ value, status: 'active', version })
      const { rows, head_status } = await history(key)
      expect(head_status).toBe('active')
      expect(rows[0]).toMatchObject({
        lost: true,
        status: 'rejected',
        value: `Alice on ${key}.`,
        version: result.version,
        op: 'memory.set',
      })
      expect((await server.call('audit.list', { namespace: 'chat', memory_key: key }, ADMIN)).rows[0]).toMatchObject({
        origin: 'push',
        version: result.version,
      })
    }
  })

  it('is kept when the row expired meanwhile', async () => {
    const { version } = await write('guard/expired', 'For an hour.', { ttl_seconds: 3600 })
    now += 2 * 3_600_000
    const result = await alice.send(
      change('memory.update', { memory_key: 'guard/expired', value: 'For longer.' }, { base_version: version }),
    )
    expect(result).toMatchObject({ outcome: 'lost', code: 'EXPIRED', status: 'rejected' })
  })

  it('checks the precondition of the device again, under its own lock [PRE014]', async () => {
    const { content_sha256, version } = await write('guard/match', 'The first text.')
    const bob = await pairDevice(server, 'bob', { chat: 'writer' }, {}, () => now)
    const sent = (value: string) => {
      const one = set('guard/match', value, { base_version: version })
      return { ...one, args: { ...one.args, if_match_sha256: content_sha256 } }
    }
    const [one, two] = await Promise.all([alice.send(sent('Alice was here.')), bob.send(sent('Bob was here.'))])
    const [won, lost] = one.outcome === 'applied' ? [one, two] : [two, one]
    expect(won).toMatchObject({ outcome: 'applied', status: 'active' })
    expect(lost).toMatchObject({ outcome: 'lost', code: 'PRECONDITION_FAILED', status: 'rejected' })
    expect(lost.current_sha256).toBe((await get('guard/match')).content_sha256)
    expect((await history('guard/match')).rows.filter((row) => row.lost)).toHaveLength(1)
  })

  it('is kept where no row is: too near to a pinned memory, or made on one that is not there', async () => {
    await server.call('memory.pin', { ...AT, memory_key: 'fact/door', value: 'The front door code is 4711.' }, ADMIN)
    const result = await alice.send(set('fact/entrance', 'The front door code is 9999.'))
    expect(result).toMatchObject({ outcome: 'lost', code: '', status: 'rejected', conflict_verdict: 'rejected', row: null })
    expect(result.peers[0]).toMatchObject({ memory_key: 'fact/door' })
    const alone = await history('fact/entrance')
    expect(alone).toMatchObject({ found: true, head_status: '', memory_id: result.memory_id })
    expect(alone.rows).toMatchObject([{ lost: true, value: 'The front door code is 9999.' }])
    expect((await get('fact/entrance')).found).toBe(false)
    // A row that comes later has them in its history.
    await write('fact/entrance', 'The entrance is on the north side.')
    expect((await history('fact/entrance')).rows.map((row) => row.lost)).toEqual([false, true])
  })
})

describe('the verdict', () => {
  it("is the server's, against its own facts, whatever the device found by itself [SET004]", async () => {
    await write('deploy/window', 'Production deploys run on Tuesday.')
    const verdict = { conflict_verdict: 'clear', status: 'active' }
    const result = await alice.send(set('deploy/day', 'Production deploys run on Friday.', { verdict }))
    expect(result).toMatchObject({
      outcome: 'applied',
      conflict_verdict: 'conflict',
      status: 'conflicted',
      row: { status: 'conflicted', conflict_verdict: 'conflict' },
    })
    expect(result.peers[0]).toMatchObject({ memory_key: 'deploy/window', relation: 'contradicts' })
    expect(await get('deploy/day')).toMatchObject({ status: 'conflicted' })
  })
})

describe('under newest_wins', () => {
  it('a pushed update of a fact retires it, visibly, and says that a sync did', async () => {
    await server.call('namespace.register', { namespace: 'newest', default_conflict_policy: 'newest_wins' }, ADMIN)
    const bob = await pairDevice(server, 'bea', { newest: 'writer' }, {}, () => now)
    await server.call(
      'memory.set',
      { ...AT, namespace: 'newest', memory_key: 'cafe/hours', value: 'The cafeteria closes at 17:00.' },
      ADMIN,
    )
    const sent = change('memory.set', { namespace: 'newest', memory_key: 'cafe/closing', value: 'The cafeteria closes at 18:00.' })
    const result = await bob.send(sent)
    expect(result).toMatchObject({ outcome: 'applied', status: 'active', peers: [{ memory_key: 'cafe/hours', status: 'superseded' }] })
    const { rows } = await server.call('memory.auto_retirements', { namespace: 'newest' }, ADMIN)
    expect(rows).toMatchObject([{ memory_key: 'cafe/hours', cause: 'sync', by: { memory_key: 'cafe/closing', version: result.version } }])
  })
})

describe('a change that a rule refuses', () => {
  it('leaves nothing behind: blacklist, length, and what the token may not do', async () => {
    await server.call('blacklist.add', { namespace: 'chat', pattern: 'verboten' }, ADMIN)
    await write('rule/short', 'Short.', { char_limit: 20 })
    const elsewhere = (namespace: string) => ({ ...set('rule/other', 'x'), args: { ...set('rule/other', 'x').args, namespace } })
    const { results } = await alice.push([
      set('rule/blacklist', 'This is verboten.'),
      set('rule/short', 'This is by far too long for that row.'),
      elsewhere('open'),
      elsewhere('secret'),
      { ...elsewhere('chat'), args: { ...elsewhere('chat').args, org: 'other' } },
      change('memory.unlock', { memory_key: 'rule/short' }),
      change('memory.delete', { memory_key: 'rule/short' }, { via: 'memory.clear' }),
    ])
    expect(results.map(({ outcome, code, row }) => [outcome, code, row === null])).toEqual([
      ['refused', 'BLACKLISTED', true],
      ['refused', 'CHAR_LIMIT_EXCEEDED', false],
      ['refused', 'FORBIDDEN', true],
      ['refused', 'FORBIDDEN', true],
      ['refused', 'FORBIDDEN', true],
      ['refused', 'FORBIDDEN', false],
      ['refused', 'FORBIDDEN', false],
    ])
    expect((await history('rule/short')).rows).toHaveLength(1)
    expect((await server.call('blacklist.list', { namespace: 'chat' }, ADMIN)).patterns[0]).toMatchObject({ hits: 1 })
  })

  it('a delete, a move and a lock under a lock of the server come back [CHG024]', async () => {
    await write('rule/locked', 'Stays here.')
    await server.call('memory.lock', { ...AT, memory_key: 'rule/locked', reason: 'audited' }, ADMIN)
    const { results } = await alice.push([
      change('memory.delete', { memory_key: 'rule/locked' }),
      change('memory.move', { memory_key: 'rule/locked', to_key: 'rule/moved' }),
      change('memory.lock', { memory_key: 'rule/locked', mode: 'no_delete', reason: 'looser' }),
      change('memory.delete', { memory_key: 'rule/absent' }),
      change('memory.restore', { memory_key: 'rule/absent' }),
      change('memory.unpin', { memory_key: 'rule/locked' }),
    ])
    expect(results.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['refused', 'LOCKED'],
      ['refused', 'LOCKED'],
      ['refused', 'FORBIDDEN'],
      ['refused', 'NOT_FOUND'],
      ['refused', 'NOT_FOUND'],
      ['refused', 'NOT_FOUND'],
    ])
    expect(results[0]?.row).toMatchObject({ status: 'active', lock_mode: 'read_only' })
    expect(await get('rule/locked')).toMatchObject({ value: 'Stays here.', lock: { mode: 'read_only' } })
  })

  it('means the row of its own identity, and no other of the key', async () => {
    await write('rule/agents', 'Of the scribe.')
    const sent = change('memory.delete', { memory_key: 'rule/agents', agent: 'another' })
    expect(await alice.send(sent)).toMatchObject({ outcome: 'refused', code: 'NOT_FOUND' })
    expect((await get('rule/agents')).found).toBe(true)
    const lock = change('memory.lock', { memory_key: 'rule/agents', session_id: 's1', reason: 'no' })
    expect(await alice.send(lock)).toMatchObject({ outcome: 'refused', code: 'NOT_FOUND' })
  })

  it('keeps a bound device to its own user', async () => {
    const carol = await pairDevice(server, 'carol', { chat: 'writer' }, { user_id: 'carol' }, () => now)
    expect(await carol.send(change('memory.set', { memory_key: 'mine', value: 'Of Carol.', user_id: 'carol' }))).toMatchObject({
      outcome: 'applied',
    })
    for (const user_id of ['-', 'dave'])
      expect(await carol.send(change('memory.set', { memory_key: 'theirs', value: 'Of Dave.', user_id }))).toMatchObject({
        outcome: 'refused',
        code: 'FORBIDDEN',
      })
  })
})
