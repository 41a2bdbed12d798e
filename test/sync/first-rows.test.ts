import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyText } from '../../shared/engine/db/copy-rows.ts'
import { textsOf } from '../../shared/engine/sync/desktop/first-rows.ts'
import type { TestEngine } from '../helpers/engine.ts'
import { headsOf, openTeam, type Team } from './team.ts'

const PLACE = { org: 'acme', namespace: 'chat', agent: 'a' } as const

let team: Team
beforeAll(async () => void (team = await openTeam()), 180_000)
afterAll(() => team.close())

const set = (memory_key: string, value: string, more: object = {}) =>
  team.server.call(team.admin, 'memory.set', { ...PLACE, memory_key, value, ...more })

/** Heads and versions, with the columns that are read as text. */
async function heldOf(loom: TestEngine): Promise<unknown> {
  const { rows } = await sql`SELECT memory_id, version::text, value, tags, entities, status, op, lost, rev_of.rev::text
    FROM loom.memory_version v LEFT JOIN (SELECT memory_id AS id, rev FROM loom.memory WHERE org = 'acme') rev_of ON rev_of.id = v.memory_id
    WHERE v.org = 'acme' ORDER BY memory_id, version`.execute(loom.database.reader)
  return { rows, heads: [...(await headsOf(loom))] }
}

const HOSTILE = [
  'Tab\there, line\nthere, return\rthere, back\\slash, \\N and \\. alone.',
  '\\.\n\\N\n"quoted", {braces}, NULL',
  'Tee ist grün, 茶は緑, 🍵 and \u2028 apart.',
]
const TAGS = ['plain', 'two words', 'comma, and "quote"', 'back\\slash', '{brace}', 'NULL', 'null']

test('what a new desktop takes is what the server holds, whatever is in it: rows, and what became of them since the log began', async () => {
  for (const [n, value] of HOSTILE.entries()) await set(`hostile/${n}`, value, { tags: TAGS })
  const first = await team.desktop()
  await first.sync()
  // From here on the log goes on after its snapshot.
  await set('hostile/0', 'Rewritten\twith a tab.', { tags: TAGS.toReversed() })
  await set('later/1', 'Painted the fence on Monday.', { tags: TAGS })
  await set('later/1', 'Painted the fence on Tuesday.')
  await set('later/2', 'Soon gone.')
  await team.server.call(team.admin, 'memory.delete', { ...PLACE, memory_key: 'later/2' })
  await team.server.call(team.admin, 'memory.pin', { ...PLACE, memory_key: 'hostile/1', value: HOSTILE[1] })
  const second = await team.desktop()
  await team.agree([first, second], heldOf)
  expect((await second.call('memory.get', { ...PLACE, memory_key: 'hostile/2' })).value).toBe(HOSTILE[2])
  expect(
    await second
      .call('memory.search', { org: 'acme', namespace: 'chat', query: 'fence' })
      .then((found) => JSON.stringify(found, (_key, one: unknown) => (typeof one === 'bigint' ? String(one) : one))),
  ).toContain('Tuesday')
})

test('one that wrote before it took anything keeps that on top, and ends as the others', async () => {
  const third = await team.desktop()
  await third.call('memory.set', { ...PLACE, memory_key: 'later/1', value: 'Painted the fence on Friday.' })
  await third.call('memory.set', { ...PLACE, memory_key: 'own/1', value: 'Bought a ladder.' })
  await team.agree([third], heldOf)
  const fourth = await team.desktop()
  await fourth.sync()
  // A row that is here already, as one that the answer of a push brought, is in nobody's way.
  await sql`DELETE FROM loom.shape_state WHERE shape IN ('memory', 'versions')`.execute(fourth.loom.database.reader)
  await team.agree([fourth], heldOf)
})

test('the text of COPY and of arrays', () => {
  expect(copyText([['a\tb', null, 'c\\d\n\r', '\\N', '']])).toBe('a\\tb\t\\N\tc\\\\d\\n\\r\t\\\\N\t\n')
  expect(textsOf('{}')).toEqual([])
  expect(textsOf('{plain,"two words","comma, and \\"quote\\"","back\\\\slash","{brace}","NULL",""}')).toEqual([...TAGS.slice(0, 6), ''])
})
