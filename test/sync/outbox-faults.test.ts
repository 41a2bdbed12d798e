import { afterAll, beforeAll, describe, test } from 'vitest'
import type { PgliteDatabase } from '../../shared/engine/db/pglite.ts'
import { breakEverywhere } from '../engine/faults/break-everywhere.ts'
import { REVIEW_CASES } from '../engine/faults/review-cases.ts'
import type { FaultyEngine, Space } from '../engine/faults/space.ts'
import { WRITE_CASES } from '../engine/faults/write-cases.ts'
import { testModels } from '../helpers/models.ts'
import { watchStatements } from '../helpers/statements.ts'
import { openTeam, type Team } from './team.ts'

const TRIED = new Set([
  'memory.set of a new claim with chunks, vectors and triples',
  'memory.set against another claim',
  'memory.update into a conflict',
  'memory.lock',
  'memory.reject',
  'memory.move that leaves a redirect',
  'conflicts.resolve keep_row',
])

describe('on a desktop of a team, a fault leaves the row and the change to be pushed, or neither', { timeout: 60_000 }, () => {
  let team: Team
  let engine: FaultyEngine
  beforeAll(async () => {
    team = await openTeam()
    const { loom, wire } = await team.desktop({ engine: { models: await testModels() } })
    wire.mode = 'cut'
    await loom.engine.runDueJobs()
    let spaces = 0
    const space = (): Space => {
      const namespace = `f${++spaces}`
      const place = { org: 'acme', namespace, agent: 'default' }
      const call: Space['call'] = (op, input, key) =>
        loom.call(op, { ...place, ...(input as object) } as never, key === undefined ? {} : { idempotencyKey: key })
      return {
        namespace,
        loom,
        call,
        later: () => {},
        set: (memory_key, value, more = {}) => call('memory.set', { memory_key, value, ...more } as never),
      }
    }
    const watch = watchStatements((loom.database as PgliteDatabase).pg)
    engine = { loom, watch, space, now: Date.now(), fault: 'INTERNAL', close: async () => {} }
  }, 180_000)
  afterAll(() => team.close())

  const cases = [...WRITE_CASES, ...REVIEW_CASES].filter((one) => TRIED.has(one.name))
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await breakEverywhere(engine, { ...one, changes: [...(one.changes ?? []), 'sync_outbox'] })
  })
})
