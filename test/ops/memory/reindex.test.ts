import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sql } from 'kysely'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'

const ROWS = 70

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine()
  const entries = Array.from({ length: ROWS }, (_, at) => ({ memory_key: `crate/${at}`, value: `Crate ${at} holds ${at * 3} lamps.` }))
  await loom.call('memory.bulk_set', { entries })
  await loom.call('memory.set', { memory_key: 'tall', value: `Anchors. ${'The harbour keeps many anchors in rows. '.repeat(60)}` })
  await loom.engine.runDueJobs()
})
afterAll(() => loom.close())

const vectors = async (): Promise<number> => {
  const { rows } = await sql<{ n: number }>`SELECT count(*)::int AS n FROM loom.memory_embedding WHERE org = 'dev'`.execute(
    loom.database.reader,
  )
  return rows[0]?.n ?? 0
}
const versions = async (): Promise<string> => {
  const { rows } = await sql`SELECT memory_id, version::text, updated_at FROM loom.memory WHERE org = 'dev' ORDER BY memory_id`.execute(
    loom.database.reader,
  )
  return JSON.stringify(rows)
}

describe('memory.reindex', () => {
  it('makes vectors and chunks anew in a job that goes on where it stopped, and touches no version', async () => {
    const [made, before] = [await vectors(), await versions()]
    await sql`DELETE FROM loom.memory_embedding WHERE org = 'dev'`.execute(loom.database.reader)
    await sql`DELETE FROM loom.memory_chunk WHERE org = 'dev'`.execute(loom.database.reader)
    const queued = await loom.call('memory.reindex', {})
    expect(queued).toMatchObject({ state: 'queued', rows_total: ROWS + 1, rows_done: 0 })
    // A second call of the same scope answers the job that is there.
    expect((await loom.call('memory.reindex', {})).job_id).toBe(queued.job_id)
    const found = loom.call('memory.search', { query: 'crate 12 lamps' })
    expect((await found).results.map((hit) => hit.memory_key)).toContain('crate/12')
    await loom.engine.runDueJobs()
    expect(await vectors()).toBe(made)
    expect(await versions()).toBe(before)
    const { rows } = await sql`SELECT 1 FROM loom.memory_chunk WHERE org = 'dev'`.execute(loom.database.reader)
    expect(rows.length).toBeGreaterThan(1)
    const { rows: jobs } = await sql`SELECT 1 FROM loom.job WHERE worker = 'reindex'`.execute(loom.database.reader)
    expect(jobs).toEqual([])
  })

  it('waits for the end on request, of some keys alone, and says degraded while it runs', async () => {
    let isAnswered = false
    const asked = loom
      .call('memory.reindex', { keys: ['crate/1', 'crate/2'], what: 'embeddings', wait: true })
      .finally(() => (isAnswered = true))
    // It is queued when it is queued.
    while (!isAnswered) {
      await loom.engine.runDueJobs(new Date(Date.now() + 120_000))
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    expect(await asked).toMatchObject({ state: 'done', rows_total: 2, rows_done: 2 })
    const states: string[][] = []
    const whole = loom.call('memory.reindex', { what: 'embeddings' })
    await whole
    const running = loom.engine.runDueJobs(new Date(Date.now() + 240_000))
    for (let look = 0; look < 200 && !states.some((one) => one.includes('reindexing')); look++) {
      states.push([...loom.engine.health().degraded])
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await running
    expect(states.flat()).toContain('reindexing')
    expect(loom.engine.health().degraded).not.toContain('reindexing')
  })

  it('fills entities of rows whose writer named none, with no version', async () => {
    await loom.call('memory.set', { memory_key: 'who', value: 'Ada Lovelace leads the Analytical team in Turin.' })
    const { version } = await loom.call('memory.get', { memory_key: 'who' })
    await sql`UPDATE loom.memory SET entities = '{}' WHERE org = 'dev' AND memory_key = 'who'`.execute(loom.database.reader)
    await loom.call('memory.reindex', { what: 'entities', keys: ['who'] })
    await loom.engine.runDueJobs(new Date(Date.now() + 360_000))
    const row = await loom.call('memory.get', { memory_key: 'who' })
    expect(row).toMatchObject({ version })
    expect(row.entities?.length).toBeGreaterThan(0)
  })
})
