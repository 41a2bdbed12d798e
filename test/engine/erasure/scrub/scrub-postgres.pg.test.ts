import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scrubPostgres } from '../../../../shared/engine/erasure/scrub/scrub-postgres.ts'
import { scrubStore } from '../../../../shared/engine/erasure/scrub/scrub-store.ts'
import { openTestEngine, type TestEngine } from '../../../helpers/engine.ts'
import { type ScratchDatabase, scratchDatabase } from '../../../helpers/postgres.ts'
import { needs, postgres } from '../../../helpers/requirements.ts'

const mark = randomBytes(5).toString('hex')

describe('a scrub of a Postgres', needs(postgres()), () => {
  let scratch: ScratchDatabase
  let loom: TestEngine

  beforeAll(async () => {
    scratch = await scratchDatabase()
    loom = await openTestEngine({ postgresUrl: scratch.url })
    await sql.raw('CREATE EXTENSION pageinspect').execute(loom.database.reader)
  })
  afterAll(async () => {
    await loom.close()
    await scratch.drop()
  })

  /** Tables and toast tables in which a tuple, live or dead, holds the mark. */
  async function tuplesWithMark(): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`SELECT c.oid::regclass::text AS name FROM pg_class c
      JOIN pg_class main ON main.oid = c.oid OR main.reltoastrelid = c.oid
      JOIN pg_namespace n ON n.oid = main.relnamespace, LATERAL generate_series(0, pg_relation_size(c.oid) / 8192 - 1) page,
        LATERAL heap_page_items(get_raw_page(c.oid::regclass::text, page::int)) item
      WHERE (n.nspname = 'loom' OR main.relname = 'pg_statistic') AND main.relkind = 'r' AND c.relkind IN ('r', 't')
        AND position(${Buffer.from(mark)}::bytea IN item.t_data) > 0 GROUP BY 1`.execute(loom.database.reader)
    return rows.map(({ name }) => name)
  }

  /** B-tree indexes in which an entry holds the mark. */
  async function entriesWithMark(): Promise<string[]> {
    const { rows } = await sql<{ name: string }>`SELECT c.oid::regclass::text AS name FROM pg_class c
      JOIN pg_namespace n ON n.oid = c.relnamespace JOIN pg_am am ON am.oid = c.relam,
        LATERAL generate_series(1, pg_relation_size(c.oid) / 8192 - 1) page,
        LATERAL bt_page_items(c.oid::regclass::text, page::int) item
      WHERE n.nspname = 'loom' AND c.relkind = 'i' AND am.amname = 'btree'
        AND position(${Buffer.from(mark)}::bytea IN decode(replace(item.data, ' ', ''), 'hex')) > 0 GROUP BY 1`.execute(
      loom.database.reader,
    )
    return rows.map(({ name }) => name)
  }

  async function fileOfMemory(): Promise<string> {
    const { rows } = await sql<{ path: string }>`SELECT pg_relation_filepath('loom.memory') AS path`.execute(loom.database.reader)
    return rows[0]?.path ?? ''
  }

  async function writeAndDelete(): Promise<void> {
    for (let at = 0; at < 12; at++)
      await loom.call('memory.set', { memory_key: `canary/${mark}/${at}`, value: `Canary ${mark} number ${at}.`, tags: [mark] })
    await sql.raw('ANALYZE loom.memory').execute(loom.database.reader)
    const { rows } = await sql<{ name: string }>`SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'loom'`.execute(
      loom.database.reader,
    )
    for (const { name } of rows)
      await sql`DELETE FROM ${sql.table(`loom.${name}`)} x WHERE x::text LIKE ${`%${mark}%`}`.execute(loom.database.reader)
  }

  test('leaves the text of deleted rows in no tuple, index entry or statistic, with no table taken away', { timeout: 60_000 }, async () => {
    await writeAndDelete()
    expect(await tuplesWithMark()).toEqual(expect.arrayContaining(['memory', 'memory_version', 'pg_statistic']))
    expect(await entriesWithMark()).not.toEqual([])
    await scrubStore(loom.database, { full: false })
    expect(await tuplesWithMark()).toEqual([])
    expect(await entriesWithMark()).toEqual([])
  })

  test('in full it rewrites the tables', { timeout: 60_000 }, async () => {
    await writeAndDelete()
    const before = await fileOfMemory()
    await scrubStore(loom.database, { full: true })
    expect(await fileOfMemory()).not.toBe(before)
    expect(await tuplesWithMark()).toEqual([])
  })

  test('an open transaction that may still see the rows is named, and nothing pretends that they are gone', async () => {
    const other = new pg.Client({ connectionString: scratch.url })
    await other.connect()
    await other.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM loom.memory')
    await writeAndDelete()
    const refused = await scrubPostgres(loom.database, { full: false, waitMs: 300 }).catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: 'UNAVAILABLE' })
    await other.end()
    await scrubPostgres(loom.database, { full: false })
    expect(await tuplesWithMark()).toEqual([])
  })
})
