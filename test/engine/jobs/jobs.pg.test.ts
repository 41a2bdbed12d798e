import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'

describe('the passes of two engines on one Postgres', needs(postgres()), () => {
  let scratch: ScratchDatabase
  let engines: readonly TestEngine[]
  let now = Date.parse('2026-03-02T10:00:00Z')
  beforeAll(async () => {
    scratch = await scratchDatabase()
    const open = () => openTestEngine({ postgresUrl: scratch.url, models: NO_MODELS, host: 'server', clock: () => now })
    engines = [await open(), await open()]
  })
  afterAll(async () => {
    await Promise.all(engines.map((engine) => engine.close()))
    await scratch.drop()
  })

  test('sweep each expired row once, and seal each audit row once, whoever runs them', async () => {
    for (let row = 0; row < 20; row++) {
      await engines[row % 2]!.call('memory.set', {
        memory_key: `brief/${row}`,
        value: `Visitor ${row} has a badge.`,
        memory_type: 'episodic',
        ttl_seconds: 60,
      })
    }
    now += 61_000
    const ran = await Promise.all(engines.map(({ engine }) => engine.runDueJobs()))
    expect(ran.flat().filter((job) => job === 'expiry')).toHaveLength(1)
    const { rows } = await engines[0]!.call('audit.list', { op: 'worker:expiry', limit: 100 })
    expect(new Set(rows.map((row) => row.memory_key)).size).toBe(20)
    expect(rows).toHaveLength(20)
    now += 60_000
    await Promise.all(engines.map(({ engine }) => engine.runDueJobs()))
    const { chain } = await engines[1]!.call('audit.list', { verify: true })
    expect(chain).toMatchObject({ ok: true, rows_unsealed: 0, rows_sealed: 40 })
  })
})
