import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { EXEMPT, STORES } from '../../../shared/engine/erasure/stores.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS })
})
afterAll(() => loom.close())

async function tables(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`SELECT table_name::text AS name FROM information_schema.tables
    WHERE table_schema = 'loom' AND table_type = 'BASE TABLE' ORDER BY 1`.execute(loom.database.reader)
  return rows.map((row) => row.name)
}

/** Tables that neither an erasure empties nor anybody has said why it need not. */
async function unclassified(): Promise<string[]> {
  const known = new Set([...STORES.flatMap((store) => store.tables), ...Object.keys(EXEMPT)])
  return (await tables()).filter((name) => !known.has(name))
}

it('[ERA068] every table of the schema is emptied and counted by an erasure, or exempt for a reason that is written down', async () => {
  expect(await unclassified()).toEqual([])
})

it('a table that nobody has classified is found', async () => {
  await sql`CREATE TABLE loom.newcomer (org text, namespace text, user_id text, value text)`.execute(loom.database.reader)
  expect(await unclassified()).toEqual(['newcomer'])
  await sql`DROP TABLE loom.newcomer`.execute(loom.database.reader)
})

it('what is emptied or exempt is there, once', async () => {
  const there = new Set(await tables())
  const named = [...new Set(STORES.flatMap((store) => store.tables)), ...Object.keys(EXEMPT)]
  expect(named.filter((name) => !there.has(name))).toEqual([])
  expect(new Set(named).size).toBe(named.length)
})

it('[ERA062] tables are counted under pg: and their name; a row of one carries the number of the moment it was made', async () => {
  for (const { key, tables: names } of STORES) if (names.length > 0) expect(key).toBe(`pg:${names[0]}`)
  const { rows } = await sql<{ name: string; byDefault: string | null }>`SELECT table_name::text AS name, column_default AS "byDefault"
    FROM information_schema.columns WHERE table_schema = 'loom' AND column_name = 'erasure_seq'`.execute(loom.database.reader)
  const byName = new Map(rows.map((row) => [row.name, row.byDefault]))
  const followsRow = new Set(['change_log', 'shape_log', 'sync_outbox'])
  for (const name of STORES.flatMap((store) => store.tables)) {
    if (!byName.has(name) || followsRow.has(name)) continue
    expect([name, byName.get(name)]).toEqual([name, 'loom.erasure_number()'])
  }
})

it('a table with a user or a namespace is exempt only where it holds nothing that a person said', async () => {
  const { rows } = await sql<{ name: string }>`SELECT DISTINCT table_name::text AS name FROM information_schema.columns
    WHERE table_schema = 'loom' AND column_name IN ('value', 'text', 'content', 'body', 'answer', 'excerpt', 'summary', 'note')`.execute(
    loom.database.reader,
  )
  const named = rows.map((row) => row.name).filter((name) => name in EXEMPT)
  expect(named.toSorted()).toEqual([])
})
