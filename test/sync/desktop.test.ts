import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openTeam, type Desktop, type Team } from './team.ts'

const PLACE = { org: 'acme', namespace: 'chat', agent: 'a' } as const

let team: Team
let alice: Desktop
let bob: Desktop

beforeAll(async () => {
  team = await openTeam()
  alice = await team.desktop({ subject: 'alice' })
  bob = await team.desktop({ subject: 'bob' })
}, 180_000)
afterEach(async () => {
  for (const desktop of [alice, bob]) desktop.wire.mode = 'open'
  await team.settle(alice, bob)
})
afterAll(() => team.close())

const at = (key: string): string => `chat|a|-|${key}`

async function queued(desktop: Desktop): Promise<number> {
  return (await desktop.call('sync.status', {})).queued
}

const agree = () => team.agree([alice, bob])

describe('two desktops and a server', () => {
  test('[SET012] what one writes offline the other has after both have synced; its version is provisional until then', async () => {
    const set = await alice.call('memory.set', { ...PLACE, memory_key: 'user/tea', value: 'Prefers green tea.' })
    expect(set.status).toBe('active')
    expect(await alice.call('memory.get', { ...PLACE, memory_key: 'user/tea' })).toMatchObject({ provisional: true })
    expect(await alice.call('sync.status', {})).toMatchObject({ queued: 1, org: 'acme', subject: 'alice' })
    await agree()
    expect(await alice.call('sync.status', {})).toMatchObject({ queued: 0, state: 'idle', inbox: 0 })
    const history = await alice.call('memory.history', { ...PLACE, memory_key: 'user/tea' })
    // The same entry, under the version of the server.
    expect(history.rows).toHaveLength(1)
    expect(history.rows[0]?.version).toBe((await team.heads()).get(at('user/tea'))?.['version'])
    expect(await bob.call('memory.get', { ...PLACE, memory_key: 'user/tea' })).toMatchObject({
      value: 'Prefers green tea.',
      provisional: false,
      actor: 'human:alice',
    })
  })

  test('two who contradict each other offline end with the same head and status, and the loser finds it in the inbox', async () => {
    await alice.call('memory.set', { ...PLACE, memory_key: 'deploy/day', value: 'Deploys run on Tuesday.' })
    await agree()
    await alice.call('memory.set', { ...PLACE, memory_key: 'deploy/day', value: 'Deploys run on Wednesday.' })
    await bob.call('memory.set', { ...PLACE, memory_key: 'deploy/day', value: 'Deploys run on Friday.' })
    await agree()
    const head = (await team.heads()).get(at('deploy/day'))
    expect(head).toMatchObject({ status: 'conflicted' })
    const inboxes = [await alice.call('sync.inbox', {}), await bob.call('sync.inbox', {})]
    const items = inboxes.flatMap((inbox) => inbox.items).filter((item) => item.memory_key === 'deploy/day')
    expect(items).toHaveLength(1)
    expect(items[0]).toMatchObject({ identity: { namespace: 'chat', agent: 'a' } })
    expect([items[0]?.mine.value, items[0]?.server?.value]).toContain('Deploys run on Friday.')
    const values = (await bob.call('memory.history', { ...PLACE, memory_key: 'deploy/day', limit: 20 })).rows.map(
      (version) => version.value,
    )
    expect(values).toEqual(expect.arrayContaining(['Deploys run on Wednesday.', 'Deploys run on Friday.']))
  })

  test('a lost answer is asked for again, and nothing is applied twice', async () => {
    alice.wire.mode = 'lose'
    await alice.call('memory.set', { ...PLACE, memory_key: 'user/coffee', value: 'Drinks no coffee.' })
    await expect(alice.sync()).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(await queued(alice)).toBe(1)
    expect((await team.heads()).has(at('user/coffee'))).toBe(true)
    alice.wire.mode = 'open'
    await agree()
    expect(await queued(alice)).toBe(0)
    const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM loom.memory_version
      WHERE org = 'acme' AND memory_key = 'user/coffee'`.execute(team.server.loom.database.reader)
    expect(rows[0]?.count).toBe(1)
    expect((await alice.call('memory.history', { ...PLACE, memory_key: 'user/coffee' })).rows).toHaveLength(1)
  })

  test('[SET021] dry runs, noops, refused calls, and rows of the install itself queue nothing', async () => {
    await alice.call('memory.set', { ...PLACE, memory_key: 'user/name', value: 'Alice.' })
    await agree()
    await alice.call('memory.set', { ...PLACE, memory_key: 'user/name', value: 'Alice.' })
    await alice.call('memory.set', { ...PLACE, memory_key: 'user/name', value: 'Alice B.', dry_run: true })
    await alice.call('memory.delete', { ...PLACE, memory_key: 'no/such' })
    await expect(alice.call('memory.set', { ...PLACE, memory_key: 'user/name', value: 'x', if_match_sha256: 'no' })).rejects.toThrow()
    await alice.call('memory.set', { org: 'dev', namespace: 'local', memory_key: 'private', value: 'Mine alone.' })
    expect(await queued(alice)).toBe(0)
    expect([...(await team.heads()).keys()]).not.toContain('local|default|-|private')
  })

  test('work that was not sent is never overwritten by what is pulled', async () => {
    await alice.call('memory.set', { ...PLACE, memory_key: 'office', value: 'The office is in Bern.' })
    await agree()
    await bob.call('memory.update', { ...PLACE, memory_key: 'office', value: 'The office is in Basel.' })
    await bob.sync()
    await alice.call('memory.update', { ...PLACE, memory_key: 'office', value: 'The office is in Chur.' })
    alice.wire.mode = 'lose'
    await expect(alice.sync()).rejects.toThrow()
    expect((await alice.heads()).get(at('office'))).toMatchObject({ value: '"The office is in Chur."', provisional: true })
    alice.wire.mode = 'open'
    await agree()
  })

  test('deletes, pins, locks, tags, expiry, links and moves of a desktop are run on the server', async () => {
    for (const key of ['x/1', 'x/2', 'x/3', 'x/4'])
      await alice.call('memory.set', { ...PLACE, memory_key: key, value: `The value of ${key} is ${key}.` })
    await agree()
    await alice.call('memory.delete', { ...PLACE, memory_key: 'x/1' })
    await alice.call('memory.lock', { ...PLACE, memory_key: 'x/2', reason: 'keep' })
    await alice.call('memory.touch', { ...PLACE, memory_keys: ['x/3', 'x/4'], ttl_seconds: 86_400 })
    await alice.call('memory.apply', {
      ...PLACE,
      keys: ['x/3'],
      action: 'label',
      label: { tags: ['blue'], mode: 'add' },
      reason: 'test',
      dry_run: false,
    })
    await alice.call('memory.link', { ...PLACE, memory_key: 'x/3', to_key: 'x/4', relation: 'see_also' })
    await alice.call('memory.move', { ...PLACE, memory_key: 'x/4', to_key: 'x/5' })
    await agree()
    const heads = await team.heads()
    expect(heads.get(at('x/1'))).toMatchObject({ status: 'tombstoned' })
    expect(heads.get(at('x/3'))).toMatchObject({ tags: ['blue'] })
    expect(heads.get(at('x/5'))).toMatchObject({ status: 'active' })
    expect(await alice.call('sync.status', {})).toMatchObject({ queued: 0, quarantined: 0 })
    const { rows } = await sql<{
      lock_mode: string
      linked: number
    }>`SELECT lock_mode, (SELECT count(*)::int FROM loom.memory_link WHERE org = 'acme') AS linked
      FROM loom.memory WHERE org = 'acme' AND memory_key = 'x/2'`.execute(bob.loom.database.reader)
    expect(rows[0]).toEqual({ lock_mode: 'read_only', linked: 1 })
  })

  test('a change that the server refuses is undone, and its value waits in the inbox', async () => {
    await alice.call('memory.set', { ...PLACE, memory_key: 'policy', value: 'Backups run daily.' })
    await agree()
    await team.server.call(team.admin, 'memory.lock', { namespace: 'chat', agent: 'a', memory_key: 'policy', reason: 'settled' })
    await bob.call('memory.update', { ...PLACE, memory_key: 'policy', value: 'Backups run weekly.' })
    await bob.call('memory.set', { ...PLACE, memory_key: 'other', value: 'Lunch is at noon.' })
    await agree()
    expect((await bob.heads()).get(at('policy'))).toMatchObject({ value: '"Backups run daily."', provisional: false })
    expect((await bob.heads()).get(at('other'))).toMatchObject({ provisional: false })
    const { items } = await bob.call('sync.inbox', { change: 'reverted' })
    expect(items[0]).toMatchObject({
      memory_key: 'policy',
      code: 'LOCKED',
      mine: { value: 'Backups run weekly.' },
      server: { value: 'Backups run daily.' },
    })
    const decided = await bob.call('sync.inbox_decide', { item_id: items[0]?.item_id ?? '', choice: 'accept' })
    expect(decided).toMatchObject({ closed: true, result: null })
    expect((await bob.call('sync.inbox', { change: 'reverted' })).items).toEqual([])
    expect((await bob.call('sync.inbox', { state: 'closed' })).items[0]).toMatchObject({ memory_key: 'policy', closed_by: 'human:local' })
  })

  test('two who name the same key first end with one row; the id of the other leads to it', async () => {
    const mine = await alice.call('memory.set', { ...PLACE, memory_key: 'capital', value: 'The capital is Bern.' })
    const theirs = await bob.call('memory.set', { ...PLACE, memory_key: 'capital', value: 'The capital is Bern.' })
    expect(mine.memory_id).not.toBe(theirs.memory_id)
    await agree()
    const id = (await team.heads()).get(at('capital'))?.['memory_id']
    expect([mine.memory_id, theirs.memory_id]).toContain(id)
    for (const desktop of [alice, bob]) expect(await queued(desktop)).toBe(0)
    expect((await bob.call('memory.history', { ...PLACE, memory_key: 'capital' })).rows).toHaveLength(1)
  })
})
