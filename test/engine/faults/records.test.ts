import { afterAll, beforeAll, describe, test } from 'vitest'
import { breakEverywhere, loseTheAnswer } from './break-everywhere.ts'
import { openFaultyEngine, type FaultyEngine, type Space } from './space.ts'
import type { WriteCase } from './write-cases.ts'

const schema = {
  schema: 'ticket',
  fields: [
    { name: 'number', type: 'string' as const, identity: true },
    { name: 'amount', type: 'number' as const },
  ],
}
const register = (space: Space) => space.call('memory_schema.register', schema)
const write = (space: Space, amount: number, key?: string) =>
  space.call('memory.record.write', { schema: 'ticket', fields: { number: 'INV-1', amount } }, key)
const written = async (space: Space) => (await register(space), write(space, 1))

const CASES: readonly WriteCase[] = [
  {
    name: 'memory_schema.register',
    run: (space, key) => space.call('memory_schema.register', schema, key),
    changes: ['memory_schema', 'audit'],
  },
  {
    name: 'memory_schema.approve over an active version',
    before: async (space) => {
      await register(space)
      await space.call('memory_schema.propose', { ...schema, description: 'Another.' })
    },
    run: (space, key) => space.call('memory_schema.approve', { schema: 'ticket', decision: 'approve' }, key),
    changes: ['memory_schema', 'audit'],
  },
  {
    name: 'memory.record.write of a new record',
    before: register,
    run: (space, key) => write(space, 1, key),
    changes: ['memory_record', 'memory_record_version', 'audit'],
  },
  {
    name: 'memory.record.write of another version',
    before: written,
    run: (space, key) => write(space, 2, key),
    changes: ['memory_record', 'memory_record_version', 'audit'],
  },
  {
    name: 'memory.record.delete',
    before: written,
    run: (space, key) => space.call('memory.record.delete', { schema: 'ticket', record_key: 'ticket/inv1' }, key),
    changes: ['memory_record', 'memory_record_version', 'audit'],
  },
]

let engine: FaultyEngine
beforeAll(async () => {
  engine = await openFaultyEngine()
})
afterAll(() => engine.close())

describe('a fault at any statement leaves version, head and audit row all there or all absent', { timeout: 60_000 }, () => {
  test.each(CASES.map((one) => [one.name, one] as const))('[REC009] %s', async (_, one) => {
    await breakEverywhere(engine, one)
  })
})

describe('a commit whose answer is lost is told to who asks again', () => {
  test.each(CASES.map((one) => [one.name, one] as const))('%s', (_, one) => loseTheAnswer(engine, one))
})
