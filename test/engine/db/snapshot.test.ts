import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Reader } from '../../../shared/engine/db/database.ts'
import { makeWhole } from '../../../shared/engine/db/new-folder.ts'
import { openPglite } from '../../../shared/engine/db/pglite.ts'
import { ensureSnapshot, SNAPSHOT_NAME } from '../../../shared/engine/db/snapshot.ts'
import { TEST_CACHE } from '../../helpers/model-worker.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-snapshot-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** Everything that the schema is made of, in one comparable text. */
async function schemaOf(db: Reader): Promise<string[]> {
  const { rows } = await sql<{ line: string }>`
    SELECT format('%s.%s %s %s %s', table_name, column_name, udt_name, is_nullable, column_default) AS line
      FROM information_schema.columns WHERE table_schema = 'loom'
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'loom'
    UNION ALL SELECT format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'loom'::regnamespace
    UNION ALL SELECT format('%s %s', extname, extversion) FROM pg_extension
    UNION ALL SELECT format('migration %s %s', version, name) FROM loom.schema_migration
    ORDER BY line`.execute(db)
  return rows.map((row) => row.line)
}

describe('the snapshot', () => {
  test('gives a new folder the very schema that initdb and the migrations give', { timeout: 180_000 }, async () => {
    await using copied = await openPglite({ dataDir: join(folder, 'copied'), snapshot: await ensureSnapshot(TEST_CACHE) })
    await using made = await openPglite({ dataDir: join(folder, 'made') })
    const schema = await schemaOf(made.reader)
    expect(schema.length).toBeGreaterThan(200)
    expect(await schemaOf(copied.reader)).toEqual(schema)
    // A folder that was closed in order has nothing to recover, hence nothing to sync.
    expect(copied.fsyncs()).toBeLessThan(20)
    const { rows } = await sql<{ memories: bigint }>`SELECT count(*) AS memories FROM loom.memory`.execute(copied.reader)
    expect(rows).toEqual([{ memories: 0n }])
  })

  test('is what a new folder starts from, and an old one does not', async () => {
    const marked = join(folder, 'marked')
    await using original = await openPglite({ dataDir: marked, snapshot: await ensureSnapshot(TEST_CACHE) })
    await sql.raw('CREATE TABLE loom.mark (n int)').execute(original.reader)
    await original.close()
    const has = async (dataDir: string): Promise<boolean> => {
      await using database = await openPglite({ dataDir, snapshot: marked })
      const { rows } = await sql<{ has: boolean }>`SELECT to_regclass('loom.mark') IS NOT NULL AS has`.execute(database.reader)
      return rows[0]?.has ?? false
    }
    expect(await has(join(folder, 'new'))).toBe(true)
    expect(await has(join(folder, 'copied'))).toBe(false)
  })

  test('is made once by several that want it at once', { timeout: 180_000 }, async () => {
    const cache = join(folder, 'cache')
    const paths = await Promise.all([ensureSnapshot(cache), ensureSnapshot(cache)])
    expect(new Set(paths)).toEqual(new Set([join(cache, SNAPSHOT_NAME)]))
    expect(await readdir(cache)).toEqual([SNAPSHOT_NAME])
  })
})

describe('a folder made whole', () => {
  test('is there with all it holds, or not at all', async () => {
    const place = join(folder, 'whole')
    const fails = makeWhole(place, async (draft) => {
      await writeFile(join(draft, 'half'), 'x')
      throw new Error('killed')
    })
    await expect(fails).rejects.toThrow('killed')
    expect(existsSync(place)).toBe(false)
    expect((await readdir(folder)).filter((name) => name.startsWith('whole'))).toEqual([])
    await makeWhole(place, (draft) => writeFile(join(draft, 'all'), 'x'))
    expect(await readdir(place)).toEqual(['all'])
  })

  test('what a killed maker of a database left goes with the next start', async () => {
    await mkdir(join(folder, 'started.new-killed', 'base'), { recursive: true })
    await using database = await openPglite({ dataDir: join(folder, 'started'), snapshot: await ensureSnapshot(TEST_CACHE) })
    expect(database.durable).toBe(true)
    expect((await readdir(folder)).filter((name) => name.startsWith('started'))).toEqual(['started'])
  })

  test('never takes the place of another', async () => {
    await expect(makeWhole(join(folder, 'whole'), (draft) => writeFile(join(draft, 'other'), 'x'))).rejects.toThrow()
    expect(await readdir(join(folder, 'whole'))).toEqual(['all'])
  })
})
