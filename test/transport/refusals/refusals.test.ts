import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createClient, type Client } from '../../../shared/client/create-client.ts'
import { httpLink } from '../../../shared/client/http-link.ts'
import { ERROR_TABLE, statusOf, type ErrorBody, type ErrorCode } from '../../../shared/contract/errors.ts'
import { stringifyJson } from '../../../shared/contract/json.ts'
import { contractOf, REGISTRY, type OpName } from '../../../shared/contract/registry.ts'
import type { Listening } from '../../../shared/transport/serve.ts'
import { openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { OPENING_MS, rpc, serveEngine } from '../../helpers/transports.ts'
import { ARGUMENT_CASES } from './argument-cases.ts'
import { GUARD_CASES } from './guard-cases.ts'
import type { Ground, Made, Refusal } from './refusal.ts'
import { PROPOSAL_CASES } from './proposal-cases.ts'
import { RECORD_CASES } from './record-cases.ts'
import { SHELF_CASES } from './shelf-cases.ts'
import { TARGET_CASES } from './target-cases.ts'

/** Declared, and out of reach of any call here. */
const UNREACHABLE: Readonly<Record<string, string>> = {
  'memory.set_from_messages NOT_FOUND': 'it needs a language model: test/ops/memory/extract-record.test.ts',
  'memory.copy_to FORBIDDEN': 'the person of an install may write everywhere: common-codes.test.ts',
  'memory.cross_promote FORBIDDEN': 'the same',
  'memory.dedup_resolve PRECONDITION_FAILED': 'it takes no hash, and reopens nothing',
}
/** Groups whose operations write and read memory, review it, and keep namespaces. */
const DOMAINS = /^(memory|conflicts|review|blacklist|namespace|audit)\./

let loom: TestEngine
let server: Listening
let client: Client
let now = Date.parse('2026-03-02T10:00:00Z')
let grounds = 0
beforeAll(async () => {
  loom = await openTestEngine({ clock: () => now })
  server = await serveEngine(loom.engine)
  client = createClient(httpLink({ baseUrl: server.url }))
}, OPENING_MS)
afterAll(async () => {
  await server.close()
  await loom.close()
})

function ground(): Ground {
  const namespace = `r${++grounds}`
  return {
    namespace,
    call: async (op, input) => (await client.call(op, { namespace, ...(input as object) })) as never,
    sql: async (text) => void (await sql.raw(text).execute(loom.database.reader)),
    later: (ms) => void (now += ms),
  }
}

async function overHttp(op: OpName, input: object): Promise<{ status: number; body: ErrorBody }> {
  const response = await fetch(`${server.url}/v1/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: stringifyJson(input),
  })
  return { status: response.status, body: (await response.json()) as ErrorBody }
}

async function overMcp(name: string, input: object): Promise<ErrorBody> {
  const { status, body } = await rpc(`${server.url}/mcp`, 'tools/call', { name, arguments: input })
  expect(status).toBe(200)
  expect(body.result, stringifyJson(body)).toMatchObject({ isError: true })
  return body.result?.structuredContent as unknown as ErrorBody
}

/** The body that the contract documents, with the fields of the code. */
function expectBody({ detail }: ErrorBody, code: ErrorCode, fields: object): void {
  const { category, retryable } = ERROR_TABLE[code]
  expect(detail).toMatchObject({ code, category, retryable, message: expect.any(String), request_id: expect.any(String), ...fields })
  expect(detail.message.length).toBeGreaterThan(15)
}

/** A text that only begins an id stands for any id that begins so. */
function loose(fields: unknown): unknown {
  if (Array.isArray(fields)) return fields.map(loose)
  if (typeof fields !== 'object' || fields === null) return fields === 'p_' ? expect.stringMatching(/^p_/) : fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, loose(value)]))
}

const CASES = [...TARGET_CASES, ...GUARD_CASES, ...PROPOSAL_CASES, ...RECORD_CASES, ...SHELF_CASES, ...ARGUMENT_CASES]

describe('a refused call is answered with the documented code and body, over HTTP and over MCP alike', () => {
  test.each(CASES.map((one) => [`${one.op}, ${one.what}: ${one.code}`, one] as const))('%s', async (_, refusal: Refusal) => {
    const { op, code, before, input, detail = {} } = refusal
    const at = ground()
    const made: Made = (await before?.(at)) ?? {}
    const exact = contractOf(op).identity === 'exact' && code !== 'AMBIGUOUS_KEY' ? { agent: 'default' } : {}
    const sent = { namespace: at.namespace, ...exact, ...(typeof input === 'function' ? input(made) : input) }
    const fields = loose(typeof detail === 'function' ? detail(made) : detail) as object
    const { status, body } = await overHttp(op, sent)
    expect([body.detail.code, status], body.detail.message).toEqual([code, statusOf(code)])
    expectBody(body, code, fields)
    if (contractOf(op).toolset === 'none') return
    const [tool, through] = [await overMcp(`loom_${op.replaceAll('.', '_')}`, sent), await overMcp('loom_op', { op, arguments: sent })]
    for (const answer of [tool, through]) {
      expectBody(answer, code, fields)
      expect({ ...answer.detail, request_id: '' }).toEqual({ ...body.detail, request_id: '' })
    }
  })

  test('every code that an operation declares has a case', () => {
    const tried = new Set(CASES.map(({ op, code }) => `${op} ${code}`))
    const declared = (Object.keys(REGISTRY) as OpName[])
      .filter((op) => DOMAINS.test(op))
      .flatMap((op) =>
        contractOf(op)
          .errors.filter((code) => statusOf(code) < 500)
          .map((code) => `${op} ${code}`),
      )
    expect(declared.filter((one) => !tried.has(one) && !(one in UNREACHABLE))).toEqual([])
    expect(Object.keys(UNREACHABLE).filter((one) => tried.has(one) || !declared.includes(one))).toEqual([])
  })
})
