import fc from 'fast-check'
import { v7 } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { REGISTRY } from '../../../shared/contract/registry.ts'
import { NO_MODELS, type TestEngine } from '../../helpers/engine.ts'
import { AT, openServer, pairDevice, set, type Device } from '../../helpers/push.ts'

let server: TestEngine
let alice: Device
beforeAll(async () => {
  server = await openServer({ models: NO_MODELS })
  alice = await pairDevice(server, 'alice', { chat: 'admin' })
  await alice.push([set('a', 'One of them.'), set('b', 'Another of them.')])
})
afterAll(() => server.close())

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom(
    '',
    '-',
    '*',
    'a',
    'b',
    'chat',
    'acme',
    'change:x',
    '\0',
    '\ud800',
    -1,
    2 ** 53,
    10n ** 19n,
    null,
    undefined,
    true,
    [],
    {},
  ),
)
const FIELDS = [...new Set(Object.values(REGISTRY).flatMap((contract) => Object.keys(contract.input.shape)))]
const args = fc.oneof(
  odd,
  fc.dictionary(fc.constantFrom(...FIELDS), odd, { maxKeys: 6 }).map((fields) => ({ ...AT, memory_key: 'a', ...fields })),
  fc.dictionary(fc.constantFrom(...FIELDS), odd, { maxKeys: 4 }),
)
const junk = fc
  .record(
    {
      op: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...Object.keys(REGISTRY)) }, { weight: 1, arbitrary: odd }),
      via: fc.oneof(fc.constantFrom('', 'memory.clear', 'memory.bulk_set', 'blacklist.sweep', 'nothing'), odd),
      args,
      memory_id: odd,
      base_version: odd,
      base_change_id: odd,
      recorded_at: fc.oneof(fc.constant('2026-01-01T00:00:00Z'), odd),
      local_version: odd,
      verdict: odd,
      source_class: odd,
      erasure_seq: fc.oneof(fc.constant(0), odd),
    },
    { requiredKeys: [] },
  )
  .map((fields) => ({ ...set('a', 'The base of junk.'), ...fields, change_id: v7() }))

describe('whatever a device sends', () => {
  it('each change is answered for good, and never as a fault of the server', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(junk, { minLength: 1, maxLength: 12 }), async (changes) => {
        const { results } = await alice.push(changes as never)
        expect(results.map((result) => result.change_id)).toEqual(changes.map((change) => change.change_id))
        expect(results.filter(({ outcome }) => outcome === 'retry')).toEqual([])
        const last = await alice.send(set(`after/${v7()}`, `Goes on: ${v7()}.`))
        expect(last.outcome).toBe('applied')
      }),
      { numRuns: Number(process.env['LOOM_TEST_RUNS'] ?? 30) },
    )
  }, 120_000)
})
