import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scrubPglite } from '../../../../shared/engine/erasure/scrub/scrub-pglite.ts'
import { openTestEngine, type TestEngine } from '../../../helpers/engine.ts'
import { filesWith } from '../../../helpers/raw-files.ts'

const mark = randomBytes(5).toString('hex')
const CANARIES = {
  value: `canary-value-${mark}`,
  long: `canary-long-${mark}`,
  japanese: `秘密の言葉${mark}`,
  key: `canary/key/${mark}`,
  tag: `canary-tag-${mark}`,
  entity: `canary-entity-${mark}`,
  reason: `canary-reason-${mark}`,
  source: `canary-source-${mark}`,
}
const ALL = Object.values(CANARIES)

let folder: string
let loom: TestEngine

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-scrub-'))
  loom = await openTestEngine({ folder })
})
afterAll(async () => {
  await loom.close()
  await rm(folder, { recursive: true, force: true })
})

/** Deletes, with plain SQL, every row of any table whose text holds a mark. */
async function deleteMarked(): Promise<number> {
  const { reader } = loom.database
  const { rows } = await sql<{ name: string }>`SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'loom'`.execute(reader)
  let gone = 0n
  for (const { name } of rows) {
    const made = await sql`DELETE FROM ${sql.table(`loom.${name}`)} x WHERE x::text LIKE ${`%${mark}%`}`.execute(reader)
    gone += made.numAffectedRows ?? 0n
  }
  return Number(gone)
}

async function writeCanaries(): Promise<void> {
  const filler = randomBytes(12_000).toString('base64')
  await loom.call('memory.set', {
    memory_key: CANARIES.key,
    value: `The code word is ${CANARIES.value}.`,
    tags: [CANARIES.tag],
    entities: [CANARIES.entity],
    source_trace: CANARIES.source,
  })
  await loom.call('memory.update', { memory_key: CANARIES.key, value: `The code word is ${CANARIES.value}, once more.` })
  await loom.call('memory.set', { memory_key: `long/${mark}`, value: `${filler} ${CANARIES.long} ${filler}` })
  await loom.call('memory.set', { memory_key: `合言葉/${mark}`, value: `合言葉は${CANARIES.japanese}です。` })
  await loom.call('memory.lock', { memory_key: `合言葉/${mark}`, mode: 'no_delete', reason: CANARIES.reason })
  await loom.call('memory.search', { query: CANARIES.value })
}

test('a purge leaves no byte of a row in tables, toast, indexes, statistics and log', { timeout: 60_000 }, async () => {
  await loom.call('memory.set', { memory_key: 'keep/me', value: 'The kettle whistles at noon.' })
  await writeCanaries()
  await sql.raw('ANALYZE loom.memory').execute(loom.database.reader)
  await sql.raw('CHECKPOINT').execute(loom.database.reader)
  // Only a text that the files did hold proves anything.
  const before = await filesWith(folder, ALL)
  for (const text of ALL)
    expect(
      before.some((line) => line.endsWith(text)),
      text,
    ).toBe(true)

  expect(await deleteMarked()).toBeGreaterThan(8)
  await sql.raw('CHECKPOINT').execute(loom.database.reader)
  expect(await filesWith(folder, [...ALL, mark])).not.toEqual([])

  const report = await scrubPglite(loom.database)
  expect(report.tables).toBeGreaterThan(5)
  expect(await filesWith(folder, [...ALL, mark])).toEqual([])

  expect(await loom.call('memory.get', { memory_key: 'keep/me' })).toMatchObject({ found: true, value: 'The kettle whistles at noon.' })
  await loom.call('memory.set', { memory_key: 'after', value: 'The cat sleeps on the sill.' })
  expect(await loom.call('memory.search', { query: 'where does the cat sleep' })).toMatchObject({ results: [{ memory_key: 'after' }] })
})

test('the file of a rewrite that was killed goes, and no file of a table does', async () => {
  const base = join(folder, 'pg', 'base')
  const { rows } = await sql<{ oid: string }>`SELECT oid::text AS oid FROM pg_database WHERE datname = current_database()`.execute(
    loom.database.reader,
  )
  const own = join(base, rows[0]?.oid ?? '')
  await writeFile(join(own, '99999'), CANARIES.value)
  await writeFile(join(own, '99999.1'), CANARIES.value)
  await writeFile(join(own, '99999_fsm'), CANARIES.value)
  expect(await scrubPglite(loom.database)).toMatchObject({ orphans: 3 })
  expect(await filesWith(folder, ALL)).toEqual([])
  expect((await readdir(own)).filter((name) => name.startsWith('99999'))).toEqual([])
  expect(await loom.call('memory.get', { memory_key: 'keep/me' })).toMatchObject({ found: true })
})

test('a throw between two tables ends it, and the next one finishes', async () => {
  await writeCanaries()
  await deleteMarked()
  let asked = 0
  const stop = (): void => {
    if (++asked === 2) throw new Error('the lease is gone')
  }
  await expect(scrubPglite(loom.database, { onTable: stop })).rejects.toThrow('the lease is gone')
  await scrubPglite(loom.database)
  expect(await filesWith(folder, [...ALL, mark])).toEqual([])
})
