import { afterAll, beforeAll, describe, test } from 'vitest'
import { breakEverywhere, loseTheAnswer } from './break-everywhere.ts'
import { REVIEW_CASES } from './review-cases.ts'
import { openFaultyEngine, type FaultyEngine } from './space.ts'

let engine: FaultyEngine
let broken = 0
beforeAll(async () => {
  engine = await openFaultyEngine()
})
afterAll(async () => {
  process.stderr.write(`${REVIEW_CASES.length} writes of review and of namespaces, broken at ${broken} statements\n`)
  await engine.close()
})

describe(
  'a fault at any statement leaves row, versions, vectors, chunks, pairs and audit row all there or all absent',
  { timeout: 60_000 },
  () => {
    test.each(REVIEW_CASES.map((one) => [one.name, one] as const))('%s', async (_, one) => {
      broken += await breakEverywhere(engine, one)
    })
  },
)

describe('a commit whose answer is lost is seen by the index, and by who asks again', () => {
  const whole = REVIEW_CASES.filter((one) => !one.several)
  test.each(whole.map((one) => [one.name, one] as const))('%s', (_, one) => loseTheAnswer(engine, one))
})
