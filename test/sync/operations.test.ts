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

const at = (key: string): string => `chat|a|-|${key}`
const set = (desktop: Desktop, key: string, value: string) => desktop.call('memory.set', { ...PLACE, memory_key: key, value })

const agree = () => team.agree([alice, bob])

test('patterns of a namespace go to the server and back under one id, and what they retired is deleted there', async () => {
  await set(alice, 'leak', 'The wifi password is tulip.')
  await agree()
  const { org, namespace } = PLACE
  await alice.call('blacklist.add', { org, namespace, pattern: 'password', pattern_type: 'substring', reason: 'no secrets', sweep: true })
  await agree()
  const patterns = [alice, bob].map(async (desktop) => (await desktop.call('blacklist.list', { org, namespace })).patterns)
  const [mine, theirs] = await Promise.all(patterns)
  expect(mine).toHaveLength(1)
  expect(mine?.[0]?.blacklist_id).toBe(theirs?.[0]?.blacklist_id)
  await expect(set(bob, 'leak/2', 'Another password is rose.')).rejects.toMatchObject({ code: 'BLACKLISTED' })
  await bob.call('blacklist.remove', { org, blacklist_id: theirs?.[0]?.blacklist_id ?? '' })
  await agree()
  expect((await alice.call('blacklist.list', { org, namespace })).patterns).toEqual([])
})

test('a pattern of the whole org is added on the server alone, and reaches the others', async () => {
  const admin = await team.desktop({ grants: { '*': 'org_admin' } })
  await admin.call('blacklist.add', { org: 'acme', namespace: 'chat', scope: 'org', pattern: 'forbidden', pattern_type: 'substring' })
  expect(await admin.call('sync.status', {})).toMatchObject({ queued: 0 })
  await team.settle(bob)
  await expect(set(bob, 'org/1', 'This is forbidden.')).rejects.toMatchObject({ code: 'BLACKLISTED' })
  await team.settle(admin)
  const [pattern] = (await admin.call('blacklist.list', { org: 'acme', namespace: 'chat', scope: 'org' })).patterns
  const remove = { org: 'acme', blacklist_id: pattern?.blacklist_id ?? '' }
  admin.wire.mode = 'cut'
  await expect(admin.call('blacklist.remove', remove)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  admin.wire.mode = 'open'
  expect(await admin.call('blacklist.remove', remove)).toEqual({ removed: true })
  expect(await admin.call('sync.status', {})).toMatchObject({ queued: 0 })
  await team.settle(bob)
  expect((await set(bob, 'org/1', 'This was forbidden.')).status).toBe('active')
  await admin.close()
})

test('categories, outcomes, restores and redactions are run there too', async () => {
  await team.server.call(team.admin, 'namespace.register_category', { namespace: 'chat', category: 'Style' })
  await set(alice, 'style', 'Write plainly.')
  await agree()
  await alice.call('memory.assign_category', { ...PLACE, memory_key: 'style', category: 'Style' })
  await alice.call('memory.outcome', { ...PLACE, memory_key: 'style', outcome: 'positive', run_id: 'r1' })
  await alice.call('memory.delete', { ...PLACE, memory_key: 'style' })
  await alice.call('memory.restore', { ...PLACE, memory_key: 'style' })
  await alice.call('memory.update', { ...PLACE, memory_key: 'style', value: 'Write plainly and shortly.' })
  await agree()
  expect((await team.heads()).get(at('style'))).toMatchObject({ status: 'active', value: '"Write plainly and shortly."' })
  expect(await bob.call('memory.get', { ...PLACE, memory_key: 'style' })).toMatchObject({ categories: ['Style'] })
  const { rows } = await sql<{
    acted: number
  }>`SELECT u.acted_count::int AS acted FROM loom.memory_usage u JOIN loom.memory m USING (org, memory_id)
    WHERE org = 'acme' AND m.memory_key = 'style'`.execute(team.server.loom.database.reader)
  expect(rows[0]?.acted).toBe(1)
  const history = await alice.call('memory.history', { ...PLACE, memory_key: 'style', limit: 20 })
  const first = history.rows.at(-1)
  await alice.call('memory.redact', { ...PLACE, memory_key: 'style', version: first?.version ?? 0n, reason: 'test' })
  await agree()
  const redacted = (await bob.call('memory.history', { ...PLACE, memory_key: 'style', limit: 20 })).rows.at(-1)
  expect(redacted).toMatchObject({ version: first?.version, value: null })
})

test('a version that the server does not know yet is named by the change that made it', async () => {
  const made = await set(alice, 'draft', 'A draft.')
  await alice.call('memory.delete_version', { ...PLACE, memory_key: 'draft', version: made.version })
  const { rows } = await sql<{ args: string }>`SELECT args FROM loom.sync_outbox WHERE op = 'memory.delete_version'`.execute(
    alice.loom.database.reader,
  )
  expect(rows[0]?.args).toContain('"version":"change:')
  await agree()
  expect((await team.heads()).get(at('draft'))).toMatchObject({ status: 'tombstoned' })
})

test('a pair that was settled offline is settled on the server, by the contents that were seen', async () => {
  await set(alice, 'lunch/a', 'The team eats lunch on Monday.')
  await set(alice, 'lunch/b', 'The team eats lunch on Friday.')
  await agree()
  const { pairs } = await bob.call('conflicts.list', { ...PLACE })
  const pair = pairs.find((one) => one.row.memory_key.startsWith('lunch/'))
  expect(pair).toBeDefined()
  await bob.call('conflicts.resolve', { ...PLACE, pair_id: pair?.pair_id ?? '', resolution: 'keep_row' })
  await agree()
  expect((await alice.call('conflicts.list', { ...PLACE })).pairs.filter((one) => one.row.memory_key.startsWith('lunch/'))).toEqual([])
})

test('what was left to live of a row is what is left on the server', async () => {
  await alice.call('memory.set', { ...PLACE, memory_key: 'brief', value: 'Short of life.', ttl_seconds: 3600 })
  await sql`UPDATE loom.sync_outbox SET recorded_at = recorded_at - interval '50 minutes'`.execute(alice.loom.database.reader)
  await agree()
  const { rows } = await sql<{ left: number }>`SELECT extract(epoch FROM expires_at - now())::int AS left FROM loom.memory
    WHERE org = 'acme' AND memory_key = 'brief'`.execute(team.server.loom.database.reader)
  expect(rows[0]?.left).toBeGreaterThan(500)
  expect(rows[0]?.left).toBeLessThan(650)
})
