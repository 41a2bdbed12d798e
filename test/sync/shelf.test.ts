import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
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
afterAll(() => team.close())

const agree = () => team.agree([alice, bob])

const set = (desktop: Desktop, memory_key: string, value: string) => desktop.call('memory.set', { ...PLACE, memory_key, value })
const onServer = async () =>
  (
    await sql<{
      memory_key: string
      value: string
    }>`SELECT memory_key, value FROM loom.memory_shelf WHERE org = 'acme' ORDER BY memory_key`.execute(team.server.loom.database.reader)
  ).rows
/** The copy alone: under another agent there is no row. */
const shared = (desktop: Desktop, memory_key: string) =>
  desktop.call('memory.get', { org: 'acme', namespace: 'chat', agent: 'nobody-else', memory_key })

test('a promotion made without a line reaches the server and the other desktop; a demotion takes it from all', async () => {
  await set(alice, 'oven', 'The oven takes nine minutes.')
  await agree()
  alice.wire.mode = 'cut'
  expect(await alice.call('memory.promote', { ...PLACE, memory_key: 'oven', note: 'for all' })).toMatchObject({ promoted: true })
  expect(await alice.call('sync.status', {})).toMatchObject({ queued: 1 })
  alice.wire.mode = 'open'
  await agree()
  expect(await onServer()).toEqual([{ memory_key: 'oven', value: '"The oven takes nine minutes."' }])
  expect(await shared(bob, 'oven')).toMatchObject({ found: true, source: 'shared', value: 'The oven takes nine minutes.' })
  expect(await bob.call('memory.demote', { org: 'acme', namespace: 'chat', memory_key: 'oven' })).toMatchObject({ demoted: true })
  await agree()
  expect(await onServer()).toEqual([])
  expect(await shared(alice, 'oven')).toMatchObject({ found: false })
})

test('a copy leaves every desktop with its row, and one of a text that moved on is refused', async () => {
  await set(alice, 'kettle', 'The kettle holds two litres.')
  await agree()
  await alice.call('memory.promote', { ...PLACE, memory_key: 'kettle' })
  await agree()
  await bob.call('memory.delete', { ...PLACE, memory_key: 'kettle' })
  await agree()
  expect(await onServer()).toEqual([])
  expect(await shared(alice, 'kettle')).toMatchObject({ found: false })

  await set(alice, 'sieve', 'The sieve is fine.')
  await agree()
  alice.wire.mode = 'cut'
  await alice.call('memory.promote', { ...PLACE, memory_key: 'sieve' })
  await set(bob, 'sieve', 'The sieve is coarse and was bought in May.')
  await team.settle(bob)
  alice.wire.mode = 'open'
  await agree()
  expect(await onServer()).toEqual([])
})

test('copies of rows into the team are pushed one by one, and judged there', async () => {
  const own = { org: 'dev', namespace: 'local' } as const
  await alice.call('memory.set', { ...own, agent: 'a', memory_key: 'private/pump', value: 'The pump is drained on Fridays.' })
  const answer = await alice.call('memory.copy_to', { ...own, to_org: 'acme', to_namespace: 'chat', keys: ['private/pump'] })
  expect(answer).toMatchObject({ copied: [{ memory_key: 'private/pump', status: 'active' }], skipped: [] })
  await agree()
  expect(await bob.call('memory.get', { ...PLACE, memory_key: 'private/pump' })).toMatchObject({
    value: 'The pump is drained on Fridays.',
    source_trace: 'local/private/pump',
  })
})
