import { afterAll, beforeAll, describe, test } from 'vitest'
import { watchTables } from '../../../shared/engine/shapes/triggers.ts'
import { breakEverywhere } from './break-everywhere.ts'
import { openFaultyEngine, type FaultyEngine } from './space.ts'
import { WRITE_CASES } from './write-cases.ts'

const TRIED = new Set([
  'memory.set against another claim',
  'memory.update into a conflict',
  'memory.move that leaves a redirect',
  'memory.redact',
])

describe('with the log of changes that a server keeps for desktops, a fault leaves the change noted or nothing', () => {
  let engine: FaultyEngine
  beforeAll(async () => {
    engine = await openFaultyEngine()
    await watchTables(engine.loom.database)
  })
  afterAll(() => engine.close())

  const cases = WRITE_CASES.filter((one) => TRIED.has(one.name))
  test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
    await breakEverywhere(engine, { ...one, changes: [...(one.changes ?? []), 'change_log'] })
  })
})
