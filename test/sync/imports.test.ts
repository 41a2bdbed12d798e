import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTeam, type Desktop, type Team } from './team.ts'

const PLACE = { org: 'acme', namespace: 'chat', agent: 'a' } as const
const HELD = 'The office is in Porto.'
const TEA = 'Ada prefers green tea.'
const keyOf = (text: string): string => `import:${createHash('sha256').update(text).digest('hex').slice(0, 24)}`

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

const links = () =>
  sql<{ memory_key: string; rescinded: boolean }>`SELECT memory_key, rescinded_at IS NOT NULL AS rescinded FROM loom.memory_category
    WHERE org = 'acme' ORDER BY memory_key`
    .execute(team.server.loom.database.reader)
    .then(({ rows }) => rows)

test('an import goes to the server fact by fact, by the rules of an import [IMP010, IMP016, IMP042]', async () => {
  await team.server.call(team.admin, 'namespace.register_category', { namespace: 'chat', category: 'Habits' })
  await alice.call('memory.set', { ...PLACE, memory_key: 'office', value: HELD })
  await agree()
  // Bob writes without a line: the server learns later that the office is known, and of a category that Alice took back.
  alice.wire.mode = 'cut'
  bob.wire.mode = 'cut'
  const entries = [{ text: HELD }, { text: TEA, category: 'habits', source_trace: 'mem0/1', valid_at: '2025-01-01' }]
  const told = await bob.call('memory.import', { ...PLACE, entries })
  expect(told.results.map(({ outcome, reason, note }) => [outcome, reason, note])).toEqual([
    ['held', 'identity_duplicate', undefined],
    ['written', '', undefined],
  ])
  await alice.call('memory.import', { ...PLACE, entries: [{ text: TEA, category: 'habits' }] })
  await alice.call('memory.assign_category', { ...PLACE, memory_key: keyOf(TEA), category: 'habits', rescind: true })
  alice.wire.mode = 'open'
  await team.settle(alice)
  expect(await links()).toEqual([{ memory_key: keyOf(TEA), rescinded: true }])
  bob.wire.mode = 'open'
  await agree()
  expect(await links()).toEqual([{ memory_key: keyOf(TEA), rescinded: true }])
  const { rows } = await sql<{
    source_class: string
    reinforced: number
  }>`SELECT m.source_class, coalesce(u.reinforcement_count, 0)::int AS reinforced
    FROM loom.memory m LEFT JOIN loom.memory_usage u USING (org, memory_id) WHERE m.org = 'acme' AND m.memory_key = ${keyOf(TEA)}`.execute(
    team.server.loom.database.reader,
  )
  expect(rows).toEqual([{ source_class: 'imported', reinforced: 0 }])
  const again = await bob.call('memory.import', { ...PLACE, entries })
  expect(again.results.map(({ reason, note }) => [reason, note])).toEqual([
    ['identity_duplicate', undefined],
    ['unchanged', 'category_rescinded'],
  ])
  expect(await bob.call('sync.status', {})).toMatchObject({ queued: 0 })
})

test('a hand-kept file goes to the server section by section', async () => {
  const file = (lift: string) => ({
    ...PLACE,
    markdown: `## Lift\n\n${lift}\n\n## Roof\n\nTarred in August.\n`,
    source_resource_id: 'handbook.md',
  })
  await alice.call('memory.import_curated', file('Otis serves it.'))
  await agree()
  const { results } = await bob.call('memory.import_curated', file('Kone serves it.'))
  expect(results.map(({ outcome }) => outcome)).toEqual(['revised', 'skipped'])
  await agree()
  expect(await alice.call('memory.get', { ...PLACE, memory_key: 'handbook/lift' })).toMatchObject({
    value: 'Lift\n\nKone serves it.',
    source_class: 'imported',
  })
})
