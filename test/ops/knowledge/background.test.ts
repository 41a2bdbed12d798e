import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

let loom: TestEngine
let folder: string
let now = Date.parse('2026-03-01T10:00:00Z')
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'loom-knowledge-'))
  loom = await openTestEngine({ folder, clock: () => now })
})
afterAll(async () => {
  await loom.close()
  await rm(folder, { recursive: true, force: true })
})

const later = (hours: number): Promise<string[]> => loom.engine.runDueJobs(new Date((now += hours * 3_600_000)))
async function vectors(): Promise<number> {
  const { rows } = await sql<{ rows: number }>`SELECT count(*)::int AS rows FROM loom.knowledge_embedding WHERE org = 'dev'`.execute(
    loom.database.reader,
  )
  return rows[0]?.rows ?? 0
}
const originals = async (): Promise<string[]> =>
  (await readdir(join(folder, 'objects'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)

describe('in the background', () => {
  test('a long document gets its vectors from a job; words find it at once', async () => {
    const text = Array.from({ length: 70 }, (_, at) => `# Room ${at}\nThe boiler of room ${at} is checked each month.`).join('\n')
    const made = await loom.call('knowledge.add', { document_key: 'rooms', text })
    expect(made).toMatchObject({ chunks_written: 70, embedded: false })
    expect(await vectors()).toBe(0)
    expect((await loom.call('knowledge.search', { query: 'room 42 boiler' })).results[0]?.section).toEqual(['Room 42'])
    await later(1)
    expect(await vectors()).toBe(70)
    const { results } = await loom.call('knowledge.search', { query: 'monthly inspection of a boiler' })
    expect(results[0]?.why.join()).toContain('meaning')
  })

  test('an original that nothing names goes, at the second look; one that is named stays', async () => {
    await loom.call('knowledge.add', { document_key: 'kept', text: 'Kept words.' })
    const objects = await loom.call('knowledge.list', {})
    expect((await originals()).length).toBe(objects.total)
    await sql`UPDATE loom.knowledge_document SET object = '' WHERE org = 'dev' AND document_key = 'kept'`.execute(loom.database.reader)
    await later(7)
    expect((await originals()).length).toBe(objects.total)
    await later(7)
    expect((await originals()).length).toBe(objects.total - 1)
  })

  test('a dry run and a refused write leave no file behind', async () => {
    const before = await originals()
    await loom.call('knowledge.add', { document_key: 'dry', text: 'Dry words.', dry_run: true })
    await loom.call('knowledge.add', { document_key: 'kept', text: 'Other words.', if_match_sha256: 'a'.repeat(64) }).catch(() => undefined)
    await expect.poll(originals).toEqual(before)
  })
})
