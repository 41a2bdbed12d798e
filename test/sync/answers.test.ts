import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTeam, until, type Desktop, type Team } from './team.ts'

const PLACE = { org: 'acme', namespace: 'chat', agent: 'a' } as const

let team: Team
let alice: Desktop
let bob: Desktop

beforeAll(async () => {
  team = await openTeam({ config: { maxRequestBytes: 16_384 } })
  alice = await team.desktop({ subject: 'alice' })
  bob = await team.desktop({ subject: 'bob' })
}, 180_000)
afterAll(() => team.close())

const at = (key: string): string => `chat|a|-|${key}`
const set = (desktop: Desktop, key: string, value: string) => desktop.call('memory.set', { ...PLACE, memory_key: key, value })
const itemOf = async (desktop: Desktop, key: string) => (await desktop.call('sync.inbox', {})).items.find((item) => item.memory_key === key)

describe('what becomes of a change', () => {
  test("a verdict that the team's facts change is told with both texts, the reason and the choices, and is a task of review", async () => {
    await set(alice, 'deploy/window', 'Production deploys run on Tuesday only.')
    await set(bob, 'release/day', 'Production deploys run on Friday only.')
    expect((await bob.heads()).get(at('release/day'))).toMatchObject({ status: 'active', conflict_verdict: 'clear' })
    await team.settle(alice, bob)
    expect((await bob.heads()).get(at('release/day'))).toMatchObject({ status: 'conflicted', conflict_verdict: 'conflict' })
    const item = await itemOf(bob, 'release/day')
    expect(item).toMatchObject({ change: 'verdict_changed', op: 'memory.set', choices: ['accept', 'mine'] })
    expect(item?.mine).toMatchObject({ value: 'Production deploys run on Friday only.', conflict_verdict: 'clear', status: 'active' })
    expect(item?.server).toMatchObject({ conflict_verdict: 'conflict', status: 'conflicted', actor: 'human:bob' })
    expect(item?.peers[0]).toMatchObject({ memory_key: 'deploy/window', excerpt: 'Production deploys run on Tuesday only.' })
    expect(item?.message).not.toBe('')
    const queue = await bob.call('review.queue', { org: 'acme', namespace: 'chat', kinds: ['sync'] })
    const task = queue.items.find((one) => one.item_id === item?.item_id)
    expect(task).toMatchObject({ kind: 'sync', sync: { change: 'verdict_changed', local_verdict: 'clear', server_verdict: 'conflict' } })
    const { namespace, org } = PLACE
    expect(await bob.call('review.dismiss', { org, namespace, item_id: item?.item_id ?? '' })).toEqual({ found: true, dismissed: true })
    expect(await itemOf(bob, 'release/day')).toBeUndefined()
    expect(await bob.call('sync.status', {})).toMatchObject({ queued: 0 })
  })

  test('mine again is a new change on the row that was seen, and not on one that moved on', async () => {
    await set(alice, 'lead', 'Alice leads the team.')
    await team.settle(alice, bob)
    await team.server.call(team.admin, 'memory.lock', { namespace: 'chat', agent: 'a', memory_key: 'lead', reason: 'for now' })
    await bob.call('memory.update', { ...PLACE, memory_key: 'lead', value: 'Bob leads the team.' })
    await team.settle(bob)
    const item = await itemOf(bob, 'lead')
    expect(item).toMatchObject({ change: 'reverted', code: 'LOCKED' })
    await team.server.call(team.admin, 'memory.unlock', { namespace: 'chat', agent: 'a', memory_key: 'lead' })
    await team.server.call(team.admin, 'memory.set', { namespace: 'chat', agent: 'a', memory_key: 'lead', value: 'Carol leads the team.' })
    await team.settle(bob)
    const decide = { item_id: item?.item_id ?? '', choice: 'mine' } as const
    await expect(bob.call('sync.inbox_decide', decide)).rejects.toMatchObject({ code: 'PRECONDITION_FAILED' })
    await team.server.call(team.admin, 'memory.set', { namespace: 'chat', agent: 'a', memory_key: 'lead', value: 'Alice leads the team.' })
    await team.settle(bob)
    expect(await bob.call('sync.inbox_decide', decide)).toMatchObject({ closed: true, result: { updated: true } })
    expect(await bob.call('sync.inbox_decide', decide)).toMatchObject({ closed: true, result: null })
    await team.settle(bob, alice)
    expect((await alice.heads()).get(at('lead'))).toMatchObject({ value: '"Bob leads the team."' })
  })

  test('a change that cannot be run is set aside and named; the rest go on; it can be dropped or tried again', async () => {
    await set(alice, 'odd/1', 'The first odd one.')
    await set(alice, 'odd/2', 'The second odd one.')
    await set(alice, 'even', 'An even one.')
    await sql`UPDATE loom.sync_outbox SET op = 'memory.nonsense' WHERE org = 'acme' AND memory_key LIKE 'odd/%'`.execute(
      alice.loom.database.reader,
    )
    await team.settle(alice)
    expect(await alice.call('sync.status', {})).toMatchObject({ queued: 0, quarantined: 2 })
    expect((await team.heads()).has(at('even'))).toBe(true)
    expect(await alice.call('memory.get', { ...PLACE, memory_key: 'odd/1' })).toMatchObject({
      value: 'The first odd one.',
      provisional: true,
    })
    const [one, two] = [await itemOf(alice, 'odd/1'), await itemOf(alice, 'odd/2')]
    expect(one).toMatchObject({ change: 'quarantined', code: 'UNKNOWN_OPERATION', choices: ['retry', 'accept'] })
    await alice.call('sync.inbox_decide', { item_id: one?.item_id ?? '', choice: 'accept' })
    expect(await alice.call('memory.get', { ...PLACE, memory_key: 'odd/1' })).toMatchObject({ found: false })
    await sql`UPDATE loom.sync_outbox SET op = 'memory.set' WHERE org = 'acme' AND memory_key = 'odd/2'`.execute(alice.loom.database.reader)
    await alice.call('sync.inbox_decide', { item_id: two?.item_id ?? '', choice: 'retry' })
    await team.settle(alice)
    expect(await alice.call('sync.status', {})).toMatchObject({ queued: 0, quarantined: 0 })
    expect(await alice.heads()).toEqual(await team.heads())
  })

  test('a push too large is halved, and a change too large for the server is set aside', async () => {
    for (let n = 0; n < 20; n++) await set(alice, `big/${n}`, `${'Many words of a long text. '.repeat(60)}${n}`)
    await set(alice, 'huge', 'word '.repeat(5000))
    await team.settle(alice)
    expect(await alice.call('sync.status', {})).toMatchObject({ queued: 0, quarantined: 1 })
    expect(await itemOf(alice, 'huge')).toMatchObject({ change: 'quarantined', code: 'PAYLOAD_TOO_LARGE' })
    expect([...(await team.heads()).keys()].filter((key) => key.includes('big/'))).toHaveLength(20)
  })

  test('a fence is applied before anything is pushed: rows, queue and inbox of its scope go, and nothing comes back', async () => {
    const private_ = { org: 'acme', namespace: 'private', agent: 'a', memory_key: 'secret' } as const
    await bob.call('memory.set', { ...private_, value: 'A secret that goes.' })
    await team.settle(bob)
    await bob.call('memory.set', { ...private_, value: 'Another secret that goes.' })
    const { reader } = team.server.loom.database
    await sql`INSERT INTO loom.org (org, erasure_seq, created_at) VALUES ('acme', 1, now()) ON CONFLICT (org) DO UPDATE SET erasure_seq = 1`.execute(
      reader,
    )
    await sql`INSERT INTO loom.erasure_fence (org, seq, namespace, erasure_id, purge, requested_at) VALUES ('acme', 1, 'private', 'e1', false, now())`.execute(
      reader,
    )
    await sql`DELETE FROM loom.memory WHERE namespace = 'private'`.execute(reader)
    await sql`DELETE FROM loom.memory_version WHERE namespace = 'private'`.execute(reader)
    await team.settle(bob)
    expect(await bob.call('sync.status', {})).toMatchObject({ queued: 0, erasure_seq: 1 })
    for (const heads of [await bob.heads(), await team.heads()]) expect([...heads.keys()].join()).not.toContain('secret')
    const item = (await bob.call('sync.inbox', { change: 'erased' })).items[0]
    expect(item).toMatchObject({ memory_key: '', mine: { value: null }, server: null })
    expect(JSON.stringify(item, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value))).not.toContain(
      'secret that',
    )
    await bob.call('memory.set', { ...private_, value: 'Written after the erasure.' })
    await team.settle(bob)
    expect((await team.heads()).get('private|a|-|secret')).toMatchObject({ value: '"Written after the erasure."' })
  })

  test('a server that is away is tried again by itself, and what waits goes when it is back', async () => {
    alice.wire.mode = 'cut'
    alice.loom.engine.sync?.start()
    await set(alice, 'away', 'Written while the server was away.')
    await until(async () => (await alice.call('sync.status', {})).state === 'offline')
    const status = await alice.call('sync.status', {})
    expect(status).toMatchObject({ queued: 1, error: { code: 'UNAVAILABLE' } })
    const wait = new Date(status.retry_at ?? '').getTime() - Date.now()
    expect(wait).toBeLessThan(2500)
    alice.wire.mode = 'open'
    await until(async () => (await alice.call('sync.status', {})).queued === 0)
    expect((await team.heads()).has(at('away'))).toBe(true)
    await alice.loom.engine.sync?.stop()
  })
})
