import { afterAll, beforeAll, describe, test } from 'vitest'
import { scratchDatabase, type ScratchDatabase } from '../../helpers/postgres.ts'
import { needs, postgres } from '../../helpers/requirements.ts'
import { breakEverywhere } from './break-everywhere.ts'
import { REVIEW_CASES } from './review-cases.ts'
import { openFaultyEngine, type FaultyEngine } from './space.ts'
import { WRITE_CASES } from './write-cases.ts'

/** A few of each kind: what a write is made of is the same on both stores. */
const TRIED = new Set([
  'memory.set against another claim',
  'memory.set that retires what it updates',
  'memory.update into a conflict',
  'memory.bulk_set',
  'memory.move that leaves a redirect',
  'memory.restore of a deleted row',
  'memory.clear',
  'conflicts.resolve merge',
])

describe(
  'a connection to Postgres that ends at any statement of a write leaves all of it or nothing',
  { ...needs(postgres()), timeout: 60_000 },
  () => {
    let scratch: ScratchDatabase
    let engine: FaultyEngine
    let broken = 0
    beforeAll(async () => {
      if (!postgres().available) return
      scratch = await scratchDatabase()
      engine = await openFaultyEngine({}, scratch.url)
    })
    afterAll(async () => {
      if (!postgres().available) return
      process.stderr.write(`${TRIED.size} writes on Postgres, broken at ${broken} statements\n`)
      await engine.close()
      await scratch.drop()
    })

    const cases = [...WRITE_CASES, ...REVIEW_CASES].filter((one) => TRIED.has(one.name))
    test.each(cases.map((one) => [one.name, one] as const))('%s', async (_, one) => {
      broken += await breakEverywhere(engine, one)
    })
  },
)
