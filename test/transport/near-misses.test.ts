import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../shared/contract/errors.ts'
import { contractOf, REGISTRY, type OpName } from '../../shared/contract/registry.ts'
import type { Listening } from '../../shared/transport/serve.ts'
import { CALLS } from '../ops/roles/matrix.ts'
import { OPENING_MS, rpc, serveEngine, testEngine } from '../helpers/transports.ts'

let server: Listening
beforeAll(async () => {
  server = await serveEngine(await testEngine())
  await post('memory.set', { memory_key: 'a', value: 'A namespace exists from its first write.' })
  await post('memory_schema.register', { schema: 'none', fields: [{ name: 'a', type: 'string' }] })
  await post('memory.record.write', { schema: 'none', record_key: 'k', fields: { a: 'b' } })
}, OPENING_MS)
afterAll(() => server.close())

async function post(op: string, input: object): Promise<{ status: number; body: Record<string, unknown> & ErrorBody }> {
  const response = await fetch(`${server.url}/v1/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return { status: response.status, body: (await response.json()) as never }
}

/** Ways in which a hurried hand misses a field's name. */
const SLIPS: Readonly<Record<string, (field: string) => string>> = {
  'two letters swapped': (field) => {
    const at = Math.floor(field.length / 2)
    return `${field.slice(0, at - 1)}${field[at] ?? ''}${field[at - 1] ?? ''}${field.slice(at + 1)}`
  },
  'a letter left out': (field) => `${field.slice(0, Math.floor(field.length / 2))}${field.slice(Math.floor(field.length / 2) + 1)}`,
  'hyphens for underscores': (field) => field.replaceAll('_', '-'),
  'humps for underscores': (field) => field.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
}

/** Each field of an operation under the name that a slip gives it. */
function slipsOf(op: OpName, slip: (field: string) => string): Record<string, string> {
  const fields = Object.keys(contractOf(op).input.shape)
  const made = fields.filter((field) => field.length > 4).map((field) => [slip(field), field] as const)
  return Object.fromEntries(made.filter(([name]) => !fields.includes(name)))
}

const ofKind = (kind: 'read' | 'write') =>
  (Object.keys(REGISTRY) as OpName[]).filter(
    (op) => contractOf(op).kind === kind && contractOf(op).host !== 'server' && Object.keys(contractOf(op).input.shape).length > 0,
  )
const given = (names: Record<string, string>): object => Object.fromEntries(Object.keys(names).map((name) => [name, 'x']))

describe.each(Object.entries(SLIPS))('a name that is nearly a field’s, with %s,', (_, slip) => {
  test.each(ofKind('write'))('fails %s, and is told what it was meant to be [CHK002]', async (op) => {
    const names = slipsOf(op, slip)
    if (Object.keys(names).length === 0) return
    const { status, body } = await post(op, given(names))
    expect([status, body.detail]).toMatchObject([422, { code: 'UNKNOWN_ARGUMENT', field: Object.keys(names)[0], did_you_mean: names }])
    if (contractOf(op).toolset === 'none') return
    const called = { name: `loom_${op.replaceAll('.', '_')}`, arguments: given(names) }
    const over = await rpc(`${server.url}/mcp`, 'tools/call', called)
    expect(over.body.result).toMatchObject({
      isError: true,
      structuredContent: { detail: { code: 'UNKNOWN_ARGUMENT', did_you_mean: names } },
    })
  })

  const reads = ofKind('read').filter((op) => /^(memory|conflicts|review|blacklist|namespace|audit)\./.test(op) && op in CALLS)
  test.each(reads)('is ignored by %s, and named with the field', async (op) => {
    const names = slipsOf(op, slip)
    if (Object.keys(names).length === 0) return
    const { status, body } = await post(op, { ...CALLS[op], ...given(names) })
    expect([status, body]).toMatchObject([200, { ignored_args: Object.keys(names), did_you_mean: names }])
  })
})
