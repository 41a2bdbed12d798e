import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PgliteDatabase } from '../../../shared/engine/db/pglite.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const ENGINE = fileURLToPath(new URL('../../../shared/engine', import.meta.url))

/** Tables whose key is led by something else: looked up before an org is known, or of the database itself. */
const ORGLESS_TABLES = new Set(['auth_token', 'pair_code', 'job', 'worker_lease', 'instance', 'schema_migration'])

/** Statements over all orgs: a start, or a worker's search for due work. A part of the statement, and why it may. */
const ACROSS_ORGS = [
  ['SELECT max(version) AS last FROM loom.memory_version', 'start: the clock goes on from the last version of the store'],
  ['UPDATE loom.device SET push_until = NULL', 'start of a PGlite: whoever held the lease of a push is gone'],
  ['SELECT org, erasure_seq FROM loom.org WHERE erasure_seq > 0', 'start: the number of each org'],
  ["UPDATE loom.erasure_saga SET lease_until = NULL WHERE status = 'in_progress'", 'start of a PGlite: whoever ran a saga is gone'],
  ['UPDATE loom.erasure_saga s SET status', 'worker: erasures that are due again'],
  ["UPDATE loom.erasure_saga SET status = 'failed'", 'worker: erasures that have failed as often as they may'],
  [".selectFrom('erasure_fence').selectAll().orderBy('org')", 'start: fences are compared with the file beside the database'],
  ["SELECT 'token' AS type", 'start: ended tokens and devices are compared with that file'],
  ['count(*)::int FROM loom.erasure_fence) AS fences', 'a backup is opened to see that it is whole'],
  [".selectFrom('extract_queue').selectAll().where('due_at', '<=', now)", 'worker: transcripts that wait to be read'],
  ['FROM loom.memory_embedding LIMIT 1', 'start: the model of the stored vectors'],
  ['(org, memory_id) > (${org}, ${after})', 'start: the index is filled, org by org'],
  ["FROM loom.memory_lexical WHERE collapse_group <> ''", 'start: the groups that search shows as one'],
  ["FROM loom.memory WHERE version > ${version.toString()}::int8 AND status = 'active'", 'worker: rows that nobody judged yet'],
  ["m.memory_type IN ('semantic', 'procedural')", 'worker: rows that lack a vector'],
  ['loom.knowledge_embedding e WHERE e.org = c.org', 'worker: chunks of documents that lack a vector'],
  ['loom.conversation_embedding e WHERE e.org = m.org', 'worker: messages that lack a vector'],
  ["FROM loom.memory WHERE version > ${after} AND entities = '{}'", 'worker: rows whose entities nobody looked for'],
  ["WHERE status = 'running' AND ((implicit AND last_event_at <=", 'worker: runs that nothing is heard of'],
  ["WHERE status = 'running' AND implicit AND run_id =", 'a session that closed, in whatever namespaces it worked: its id is its own'],
  ['FROM loom.memory_version v WHERE v.updated_at >= ${start}', 'worker: places whose last period is not written up yet'],
  ['DELETE FROM loom.working_memory WHERE expires_at <=', 'worker: scratch values that have expired'],
  [".deleteFrom('idempotency') .where('created_at', '<='", 'answers older than a day go, whosever they are'],
  ["SELECT obj_description('loom.change_log'::regclass)", 'start: whether the tables note their changes'],
  ["SET gone_at = now() WHERE served_by = 'electric'", 'start after a restore: every handle of every org ends'],
  ["DELETE FROM loom.shape_handle WHERE served_by = 'loom'", 'start after a restore: likewise'],
  ['DELETE FROM loom.shape_log', 'start after a restore: likewise'],
  ['DELETE FROM loom.change_log', 'start after a restore: likewise'],
] as const

let loom: TestEngine
let tables: string[]
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS, host: 'server' })
  const { rows } = await sql<{
    name: string
  }>`SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'loom'`.execute(loom.database.reader)
  tables = rows.map((row) => row.name).filter((name) => !ORGLESS_TABLES.has(name))
})
afterAll(() => loom.close())

describe('every table', () => {
  test('has a key, which its org leads', async () => {
    const { rows } = await sql<{ name: string; columns: string[] | null }>`
      SELECT t.table_name AS name, (SELECT array_agg(a.attname::text ORDER BY k.place)
          FROM pg_constraint c, unnest(c.conkey) WITH ORDINALITY AS k(number, place), pg_attribute a
          WHERE c.contype = 'p' AND c.conrelid = format('loom.%I', t.table_name)::regclass AND a.attrelid = c.conrelid AND a.attnum = k.number) AS columns
      FROM information_schema.tables t WHERE t.table_schema = 'loom'`.execute(loom.database.reader)
    expect(rows.length).toBeGreaterThan(10)
    expect(rows.filter((row) => !row.columns?.length).map((row) => row.name)).toEqual([])
    expect(rows.filter((row) => !ORGLESS_TABLES.has(row.name) && row.columns?.[0] !== 'org').map((row) => row.name)).toEqual([])
  })

  test('is unique within an org only, so that it can be spread by org', async () => {
    const { rows } = await sql<{ name: string; definition: string }>`SELECT tablename AS name, indexdef AS definition FROM pg_indexes
      WHERE schemaname = 'loom' AND indexdef LIKE 'CREATE UNIQUE%'`.execute(loom.database.reader)
    expect(rows.filter((row) => tables.includes(row.name) && !/\(org\b/.test(row.definition))).toEqual([])
  })
})

/** Statements of a source: tagged templates that name a table, and builder chains from their table to their end. (An insert gives its org: no key is without.) */
function statementsOf(source: string): string[] {
  const templates = [...source.matchAll(/sql(?:<[^`]*?>)?`((?:[^`\\]|\\.)*)`/gs)].map((found) => found[1] ?? '')
  const chains = [...source.matchAll(/\.(?:selectFrom|updateTable|deleteFrom)\('[a-z_]+'\).*?\.execute/gs)].map((found) => found[0])
  const names = new RegExp(`(?:loom\\.|From\\('|Table\\(')(?:${tables.join('|')})\\b`)
  return [...templates, ...chains].map((text) => text.replaceAll(/\s+/g, ' ')).filter((text) => names.test(text))
}

describe('every query of the engine', () => {
  // Conditions that are put in whole (`WHERE ${conditions}`) are seen where they run, below.
  test('names the org where it spells its conditions out, but for those listed', () => {
    const files = readdirSync(ENGINE, { recursive: true, encoding: 'utf8' }).filter(
      (file) => file.endsWith('.ts') && !file.startsWith('db/'),
    )
    const statements = files.flatMap((file) => statementsOf(readFileSync(join(ENGINE, file), 'utf8')).map((text) => ({ file, text })))
    expect(statements.length).toBeGreaterThan(30)
    const listed = ACROSS_ORGS.map(([part]) => part)
    const asks = /\borg\b|(?:WHERE|AND) \$\{|\$\{where\(/
    expect(statements.filter(({ text }) => !asks.test(text) && !listed.some((part) => text.includes(part)))).toEqual([])
    for (const part of listed) expect([part, statements.some(({ text }) => text.includes(part))]).toEqual([part, true])
  })

  test('asks for the org when it runs', async () => {
    const { pg } = loom.database as PgliteDatabase
    const claim = { memory_key: 'k', value: 'Backups run at two in the night.' }
    const { memory_id } = await loom.call('memory.set', claim)
    await loom.call('memory.set', { memory_key: 'k', value: 'Backups run at three in the night.' })
    await loom.call('memory.set', { memory_key: 'other', value: 'Backups run at noon.', relations: [['backup', 'runs', 'noon']] })
    await loom.call('memory.get', { memory_key: 'k' })
    await loom.call('memory.get_by_id', { memory_id })
    await loom.call('memory.list', { text: 'backups', sort: 'recalled', with_total: true })
    await loom.call('memory.search', { query: 'backups', namespace_scope: ['*'] })
    await loom.call('memory.history', { memory_key: 'k' })
    await loom.call('memory.lock', { memory_key: 'k', reason: 'x' })
    await loom.call('memory.unlock', { memory_key: 'k' })
    await loom.call('memory.pin', claim)
    await loom.call('memory.unpin', { memory_key: 'k' })
    await loom.call('memory.delete', { memory_key: 'k' })
    await loom.call('memory.restore', { memory_key: 'k' })
    await loom.call('namespace.register', { namespace: 'local', description: 'x' })
    await loom.call('namespace.list', {})
    await loom.call('blacklist.add', { namespace: 'local', pattern: 'zzz' })
    await loom.call('engine.info', {})
    const { rows } = await pg.query<{ statement: string }>('SELECT statement FROM pg_prepared_statements')
    const names = new RegExp(`\\bloom"?\\."?(?:${tables.join('|')})\\b`)
    const touching = rows.map(({ statement }) => statement).filter((text) => names.test(text))
    expect(touching.length).toBeGreaterThan(30)
    const asks = /\borg"? *(?:=|,|in\b)|^\s*insert/i
    expect(touching.filter((text) => !asks.test(text))).toEqual([])
  })
})
