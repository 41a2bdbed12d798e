import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { contractOf, REGISTRY, type OpName } from '../../shared/contract/registry.ts'
import { NO_MODELS, openTestEngine, testCaller, type TestEngine } from '../helpers/engine.ts'
import { brokenPromises } from '../helpers/invariants.ts'
import { CALLS } from '../ops/roles/matrix.ts'

/** Whatever a call is given, it is answered or refused with a code that says why: never with a fault of ours. */

const OPS = (Object.keys(REGISTRY) as OpName[]).filter((op) =>
  /^(memory|conflicts|review|blacklist|namespace|audit|run|working_memory|decision|learning|procedure|profile)\./.test(op),
)
const RUNS = Number(process.env['LOOM_TEST_RUNS'] ?? 25)
const NAMESPACE = 'any'

let loom: TestEngine
beforeAll(async () => {
  loom = await openTestEngine({ models: NO_MODELS })
  await loom.call('namespace.register', { namespace: NAMESPACE })
  for (const memory_key of ['k', 'k/a', 'k/b'])
    await loom.call('memory.set', { namespace: NAMESPACE, memory_key, value: `Of ${memory_key}.`, run_id: 'r' })
})
afterAll(() => loom.close())

/** Values that are hard somewhere: for a parser, for Postgres, for a regular expression, for arithmetic. */
const HARD = fc.oneof(
  fc.constantFrom<unknown>(
    '', ' ', '-', '*', '%', '_', "'; DROP TABLE loom.memory; --", '\\', '\\u0000', '{}', '[]', 'null', 'k', 'k/a', 'local', 'a'.repeat(5000),
    '1970-01-01', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-02-29', '-1', '18446744073709551615', '18446744073709551616', '9223372036854775808',
    '(a+)+$', '[[:alpha:]]', '\\p{L}', '(?<x>a)', 'ｆｕｌｌ', '\u202Eabc', '\u0301', '👩🏽‍🚒', '\uFFFF', 'ǅ', 'İ', 'ß', '𝔘', '\n', '\t\r\n',
    0, -0, 1, -1, 0.5, 1e-320, 1e308, 2 ** 31, 2 ** 31 - 1, 2 ** 53, 2n ** 63n, 2n ** 64n - 1n, 2n ** 64n, true, false, null,
    [], [''], ['k'], [null], [[]], {}, { claim: 5 }, { claim: 'x', steps: [] }, { steps: ['a'] }, { ttl_seconds: 60 }, [['a', 'b', 'c']],
  ), // prettier-ignore
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.jsonValue({ maxDepth: 4 }),
  fc.array(fc.string({ maxLength: 8 }), { maxLength: 5 }),
)

/** What a field may take, by its schema: what is named there, and what of the hard values it lets through. */
function fitting(op: OpName, field: string): fc.Arbitrary<unknown> {
  const schema = contractOf(op).input.shape[field] as z.ZodType
  const { enum: named, anyOf } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as {
    enum?: unknown[]
    anyOf?: { enum?: unknown[] }[]
  }
  const options = [...(named ?? []), ...(anyOf ?? []).flatMap((one) => one.enum ?? [])]
  const fits = [...options, ...options.map((option) => [option]), ...fc.sample(HARD, 400)].filter(
    (value) => schema.safeParse(value).success,
  )
  return fits.length === 0 ? HARD : fc.oneof({ arbitrary: fc.constantFrom(...fits), weight: 6 }, { arbitrary: HARD, weight: 1 })
}

test('a version that no row can have is not found', async () => {
  const { memory_id } = await loom.call('memory.set', { namespace: NAMESPACE, memory_key: 'v', value: 'Of v.' })
  const version = 2n ** 64n - 1n
  expect(await loom.call('memory.get_by_id', { memory_id, version })).toMatchObject({ found: false, reason: 'not_found' })
  const at = { namespace: NAMESPACE, memory_key: 'v', version }
  expect(await loom.call('memory.redact', { ...at, reason: 'r' })).toMatchObject({ redacted: false, reason: 'not_found' })
  expect(await loom.call('memory.delete_version', at)).toMatchObject({ tombstoned: false, reason: 'version_changed' })
  expect(await loom.call('memory.get', { namespace: NAMESPACE, memory_key: 'v', if_version: version })).toMatchObject({
    found: true,
    unchanged: false,
  })
})

describe('any arguments', () => {
  test.each(OPS)('of %s', async (op) => {
    // To wait for a background pass is in vain here: none runs.
    const fields = Object.keys(contractOf(op).input.shape).filter((field) => !['namespace', 'org', 'wait'].includes(field))
    if (fields.length === 0) return
    const change = fc.oneof(...fields.map((field) => fitting(op, field).map((value) => [field, value] as const)))
    const changes = fc.uniqueArray(change, { maxLength: 4, minLength: 1, selector: ([field]) => field })
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const input = { namespace: NAMESPACE, ...CALLS[op], ...Object.fromEntries(changed) }
        const code = await loom.engine.run(op, input, testCaller()).then(
          () => '',
          (error: { code?: string; cause?: unknown }) => (error.code === 'INTERNAL' ? `INTERNAL: ${String(error.cause)}` : error.code),
        )
        expect(code).not.toMatch(/^INTERNAL|undefined/)
      }),
      { numRuns: RUNS },
    )
  })

  test('left the store whole', async () => {
    const broken = (await brokenPromises(loom.database, NAMESPACE)) as { what: string }[]
    // No model was loaded: nothing is embedded.
    expect(broken.filter(({ what }) => what !== 'live and found, and not embedded')).toEqual([])
  })
})
