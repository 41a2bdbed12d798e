import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Claims } from '../../../shared/contract/ops/engine/info.ts'
import { localClaims } from '../../../shared/engine/caller.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { scratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

/** Two server processes on one Postgres, each an engine of its own. */
describe('records on Postgres', needs(postgres()), () => {
  let scratch: Awaited<ReturnType<typeof scratchDatabase>>
  let engines: TestEngine[] = []
  const claims: Claims = { ...localClaims('human', 'ada'), org: 'acme', grants: { crm: 'admin' } }
  const on = (at: number): TestEngine => engines[at % engines.length] as TestEngine
  const register = (at: number, type: 'string' | 'number') =>
    on(at).call(
      'memory_schema.register',
      {
        schema: 'race',
        fields: [
          { name: 'id', type: 'string', identity: true },
          { name: 'x', type },
        ],
      },
      { claims },
    )
  const write = (at: number, id: string, x: number | string) =>
    on(at).call('memory.record.write', { schema: 'race', fields: { id, x }, agent: 'a' }, { claims })

  beforeAll(async () => {
    scratch = await scratchDatabase()
    const open = () =>
      openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, postgresUrl: scratch.url, config: { rates: UNLIMITED } })
    engines = [await open(), await open()]
  })
  afterAll(async () => {
    for (const engine of engines) await engine.close()
    await scratch.drop()
  })

  it('[REC022] make one record of many writes of one thing at once, each a version of its own', async () => {
    await register(0, 'number')
    const made = await Promise.all(Array.from({ length: 24 }, (_, at) => write(at, 'SAME-1', at)))
    expect(new Set(made.map((one) => one.record_id)).size).toBe(1)
    expect(made.filter((one) => one.created)).toHaveLength(1)
    const { versions } = await on(0).call('memory.record.history', { schema: 'race', record_key: 'race/same1' }, { claims })
    expect(versions).toHaveLength(24)
    expect(versions.filter((row) => row.status === 'active')).toHaveLength(1)
    expect((await on(1).call('memory.aggregate', { schema: 'race', function: 'count' }, { claims })).groups[0]?.n).toBe(1)
  })

  it('let no schema change its types while its first record is written', async () => {
    for (let round = 0; round < 6; round++) {
      const schema = `race${round}`
      const of = (type: 'string' | 'number') => ({
        schema,
        fields: [
          { name: 'id', type: 'string' as const, identity: true },
          { name: 'x', type },
        ],
      })
      await on(0).call('memory_schema.register', of('number'), { claims })
      const both = await Promise.allSettled([
        on(1).call('memory_schema.register', of('string'), { claims }),
        on(0).call('memory.record.write', { schema, fields: { id: '1', x: 5 }, agent: 'a' }, { claims }),
      ])
      // Whichever came first, the other was refused: a stored value always has the type of its schema.
      expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
    }
  })

  it('[REC010][REC015][REC016] answer as PGlite does', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, at) => write(at, `n${at}`, at / 8)))
    const where = { x: { gte: 0.5, lt: 2 }, id: { starts_with: 'N' } }
    const asked = await on(1).call(
      'memory.record.query',
      { schema: 'race', where, order_by: [{ by: 'x', dir: 'desc' }], limit: 5, count: true },
      { claims },
    )
    expect(asked).toMatchObject({ total: 12, next_cursor: expect.any(String) })
    expect(asked.records.map((row) => row.fields['x']?.value)).toEqual([1.875, 1.75, 1.625, 1.5, 1.375])
    const [group] = (await on(0).call('memory.aggregate', { schema: 'race', function: 'avg', field: 'x', where }, { claims })).groups
    expect(group).toEqual({ key: {}, value: 1.1875, n: 12 })
  })
})
