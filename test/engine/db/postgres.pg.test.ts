import { PGlite } from '@electric-sql/pglite'
import { Kysely, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { LoomError } from '../../../shared/contract/errors.ts'
import { migrate, SCHEMA_VERSION } from '../../../shared/engine/db/migrate.ts'
import { PgliteDialect } from '../../../shared/engine/db/pglite-dialect.ts'
import { openPostgres } from '../../../shared/engine/db/postgres.ts'
import { checkServer } from '../../../shared/engine/db/postgres-faults.ts'
import { storeError } from '../../../shared/engine/db/store-error.ts'
import type { Tables } from '../../../shared/engine/db/tables.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'

async function refusal(url: string): Promise<LoomError> {
  const opened = await openPostgres({ url }).catch((error: unknown) => error as LoomError)
  if (!(opened instanceof LoomError)) throw new Error(`expected a refusal, not an open database`)
  return opened
}

describe('a Postgres', needs(postgres()), () => {
  let scratch: ScratchDatabase
  beforeAll(async () => {
    scratch = await scratchDatabase()
  })
  afterAll(() => scratch.drop())

  const changed = (change: (url: URL) => void): string => {
    const url = new URL(scratch.url)
    change(url)
    return url.href
  }

  test('is migrated once by 8 that start on it at once', async () => {
    const opened = await Promise.all(Array.from({ length: 8 }, () => openPostgres({ url: scratch.url, connections: 2 })))
    const [first] = opened
    const { rows } = await sql<{ version: number }>`SELECT version FROM loom.schema_migration ORDER BY version`.execute(first!.reader)
    expect(rows.map((row) => row.version)).toEqual(Array.from({ length: SCHEMA_VERSION }, (_, at) => at + 1))
    await migrate(first!.reader)
    expect(first).toMatchObject({ kind: 'postgres', durable: expect.any(Boolean) as boolean })
    await Promise.all(opened.map((database) => database.close()))
  })

  test('that a newer Loom migrated is refused', async () => {
    const other = await scratchDatabase()
    const database = await openPostgres({ url: other.url })
    await sql`INSERT INTO loom.schema_migration (version, name) VALUES (${SCHEMA_VERSION + 1}, 'later')`.execute(database.reader)
    await database.close()
    await expect(openPostgres({ url: other.url })).rejects.toThrow(/newer Loom/)
    await other.drop()
  })

  test('is not reached: the message names the place and the setting, and no password', async () => {
    const url = changed((it) => {
      it.port = '1'
      it.password = 'hunter2'
    })
    const error = await refusal(url)
    expect(error).toMatchObject({ code: 'UNAVAILABLE', fields: { field: 'DATABASE_URL' } })
    expect(error.message).toMatch(/^The Postgres at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\. Check DATABASE_URL/)
    expect(error.message).not.toContain('hunter2')
  })

  test('has no such database, or no such user: the message says which', async () => {
    expect((await refusal(changed((it) => (it.pathname = '/nothing_here')))).message).toContain(
      'has no database of the name in DATABASE_URL',
    )
    expect((await refusal(changed((it) => (it.username = 'nobody_here')))).message).toMatch(/refuses the user/)
  })

  test('lets its user make nothing: the message says what to grant', async () => {
    const admin = new pg.Client({ connectionString: scratch.url })
    await admin.connect()
    const other = await scratchDatabase()
    await admin.query('CREATE ROLE loom_guest LOGIN')
    const error = await refusal(
      (() => {
        const url = new URL(other.url)
        url.username = 'loom_guest'
        return url.href
      })(),
    )
    expect(error.message).toContain('Grant CREATE on the database')
    await other.drop()
    await admin.query('DROP ROLE loom_guest')
    await admin.end()
  })

  test('tells where it is without its password', async () => {
    await using database = await openPostgres({ url: changed((it) => (it.password = 'hunter2')) })
    expect(database.location).not.toContain('hunter2')
    expect(database.location).toContain(new URL(scratch.url).pathname)
  })

  test('that ends connections, in use or idle, fails their calls as UNAVAILABLE and leaves the process whole', async () => {
    await using database = await openPostgres({ url: scratch.url, connections: 3 })
    const inUse = sql`SELECT pg_terminate_backend(pg_backend_pid())`.execute(database.reader)
    const failure: unknown = await inUse.catch((error: unknown) => error)
    expect(storeError(failure)).toMatchObject({ code: 'UNAVAILABLE', fields: { retry_after_s: 2 } })
    await expect
      .poll(async () => {
        const next = await sql<{ one: number }>`SELECT 1 AS one`.execute(database.reader).catch((error: unknown) => storeError(error))
        return next instanceof LoomError ? next.code : next
      })
      .toMatchObject({ rows: [{ one: 1 }] })
    const other = new pg.Client({ connectionString: scratch.url })
    await other.connect()
    await other.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'loom' AND datname = current_database()",
    )
    await other.end()
    await expect
      .poll(() =>
        sql`SELECT 1`.execute(database.reader).then(
          () => 'well',
          () => 'broken',
        ),
      )
      .toBe('well')
  })
})

describe('a server without pgvector', () => {
  test('is refused before anything is made there, with how to get it', async () => {
    // A PGlite that was not given the extension is a Postgres without it.
    const db = new Kysely<Tables>({ dialect: new PgliteDialect(new PGlite()) })
    await expect(checkServer(db)).rejects.toMatchObject({ code: 'UNAVAILABLE', fields: { field: 'DATABASE_URL' } })
    await expect(checkServer(db)).rejects.toThrow(/has no pgvector\. Install it on the database server .*postgresql-<version>-pgvector/)
    await db.destroy()
  })
})
