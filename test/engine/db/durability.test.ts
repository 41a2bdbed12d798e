import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { scratchPglite, type ScratchPglite } from './scratch.ts'

describe('commits on PGlite', () => {
  let scratch: ScratchPglite
  beforeAll(async () => {
    scratch = await scratchPglite()
    await sql.raw('CREATE TABLE loom.probe (n int8)').execute(scratch.database.reader)
  })
  afterAll(() => scratch.drop())

  test('reach the disk: N of them make at least N calls of fsync, and reads none', async () => {
    const { database } = scratch
    expect(database.durable).toBe(true)
    const commits = 20
    const before = database.fsyncs()
    for (let n = 0; n < commits; n++) await database.transaction((tx) => sql`INSERT INTO loom.probe VALUES (${n})`.execute(tx))
    expect(database.fsyncs() - before).toBeGreaterThanOrEqual(commits)
    const written = database.fsyncs()
    for (let n = 0; n < 20; n++) await sql`SELECT count(*) FROM loom.probe`.execute(database.reader)
    expect(database.fsyncs()).toBe(written)
  })

  test('so does what a checkpoint writes', async () => {
    const before = scratch.database.fsyncs()
    await sql.raw('CHECKPOINT').execute(scratch.database.reader)
    expect(scratch.database.fsyncs() - before).toBeGreaterThan(1)
  })

  test('so does crash recovery, which a copy of a folder in use goes through, and no row is lost', async () => {
    const { database, folder } = scratch
    await database.transaction((tx) => sql`INSERT INTO loom.probe VALUES (4711)`.execute(tx))
    await cp(join(folder, 'db'), join(folder, 'crashed'), { recursive: true })
    await using recovered = await openPglite({ dataDir: join(folder, 'crashed') })
    // The checkpoint that ends recovery; an orderly start makes none, and syncs only the probe of `durable`.
    expect(recovered.fsyncs()).toBeGreaterThan(5)
    const { rows } = await sql<{ n: bigint }>`SELECT n FROM loom.probe WHERE n = 4711`.execute(recovered.reader)
    expect(rows).toEqual([{ n: 4711n }])
  })
})
