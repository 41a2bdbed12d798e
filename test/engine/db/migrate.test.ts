import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { migrate, SCHEMA_VERSION } from '../../../shared/engine/db/migrate.ts'
import { MIGRATIONS } from '../../../shared/engine/db/migrations/index.ts'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { scratchPglite, type ScratchPglite } from './scratch.ts'

describe('migrations', () => {
  let scratch: ScratchPglite
  const applied = async () => (await sql`SELECT * FROM loom.schema_migration ORDER BY version`.execute(scratch.database.reader)).rows
  beforeAll(async () => {
    scratch = await scratchPglite()
  })
  afterAll(() => scratch.drop())

  test('are numbered from 1 without a hole', () => {
    expect(MIGRATIONS.map((migration) => migration.version)).toEqual(MIGRATIONS.map((_, at) => at + 1))
  })

  test('change nothing when they run again', async () => {
    const before = await applied()
    expect(before).toHaveLength(SCHEMA_VERSION)
    await Promise.all([migrate(scratch.database.reader), migrate(scratch.database.reader)])
    expect(await applied()).toEqual(before)
  })

  test('a schema newer than this build is refused, with what to do, and left alone', async () => {
    await sql`INSERT INTO loom.schema_migration (version, name) VALUES (${SCHEMA_VERSION + 1}, 'of a later release')`.execute(
      scratch.database.reader,
    )
    await expect(migrate(scratch.database.reader)).rejects.toThrow(/newer Loom \(schema \d+, this build knows \d+\)\. Start that version/)
    await scratch.database.close()
    await expect(openPglite({ dataDir: join(scratch.folder, 'db') })).rejects.toThrow(/newer Loom/)
  })
})
