import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ErrorBody } from '../../../shared/contract/errors.ts'
import { statusOf } from '../../../shared/contract/errors.ts'
import { stringifyJson } from '../../../shared/contract/json.ts'
import { contractOf, REGISTRY, type OpName } from '../../../shared/contract/registry.ts'
import { mintToken, type NewToken } from '../../../shared/engine/store/tokens.ts'
import type { Listening } from '../../../shared/transport/serve.ts'
import { NO_MODELS, openTestEngine, type TestEngine } from '../../helpers/engine.ts'
import { OPENING_MS, rpc, serveEngine } from '../../helpers/transports.ts'
import { CALLS } from '../../ops/roles/matrix.ts'
import { UNLIMITED } from '../../helpers/unlimited.ts'

/** Codes that every operation of a namespace may answer, on every one of them, over HTTP and over MCP. */

const OPS = (Object.keys(REGISTRY) as OpName[]).filter(
  (op) =>
    /^(memory|conflicts|review|blacklist|namespace|audit)\./.test(op) && op in CALLS && !['none', 'org'].includes(contractOf(op).identity),
)
/** The refusal of a tool that MCP never calls comes before any other. */
const OVER_MCP = new Set(OPS.filter((op) => contractOf(op).toolset !== 'none'))

let loom: TestEngine
let server: Listening
const tokens: Record<string, string> = {}
beforeAll(async () => {
  loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, config: { rates: UNLIMITED } })
  server = await serveEngine(loom.engine)
  const grants: Record<string, NewToken['grants']> = {
    viewer: { chat: 'viewer' },
    writer: { chat: 'writer' },
    stranger: { elsewhere: 'admin' },
    ofTwo: { chat: 'admin', elsewhere: 'admin' },
    ofSession: { chat: 'admin', elsewhere: 'admin' },
    admin: { '*': 'org_admin' },
  }
  for (const [name, grant] of Object.entries(grants)) {
    const bound = name === 'ofSession' ? { own_session: true, session_id: 's1' } : {}
    const token: NewToken = { org: 'acme', subject: name, kind: 'human', grants: grant, ...bound }
    const minted = await loom.database.transaction((tx) => mintToken(tx, token, { actor: 'process:test', requestId: 'test' }, new Date()))
    tokens[name] = minted.token
  }
  await post('namespace.register', { namespace: 'chat' }, 'admin')
}, OPENING_MS)
afterAll(async () => {
  await server.close()
  await loom.close()
})

async function post(op: string, input: object, who: string): Promise<{ status: number; body: ErrorBody }> {
  const response = await fetch(`${server.url}/v1/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${tokens[who] ?? ''}` },
    body: stringifyJson(input),
  })
  return { status: response.status, body: (await response.json()) as ErrorBody }
}

async function tool(op: string, input: object, who: string): Promise<ErrorBody> {
  const params = { name: `loom_${op.replaceAll('.', '_')}`, arguments: input }
  const { body } = await rpc(`${server.url}/mcp`, 'tools/call', params, { authorization: `Bearer ${tokens[who] ?? ''}` })
  expect(body.result, stringifyJson(body)).toMatchObject({ isError: true })
  return body.result?.structuredContent as unknown as ErrorBody
}

/** The same refusal on both roads. */
async function refusedOnBoth(
  op: OpName,
  input: object,
  who: string,
  detail: { code: ErrorBody['detail']['code'] } & object,
): Promise<void> {
  const { status, body } = await post(op, input, who)
  expect([status, body.detail], `${op} as ${who}`).toMatchObject([statusOf(detail.code), { ...detail, retryable: false }])
  if (OVER_MCP.has(op)) expect((await tool(op, input, who)).detail, `${op} as ${who}`).toMatchObject(detail)
}

const placed = (op: OpName, more: object = {}): object => ({
  namespace: 'chat',
  ...('agent' in contractOf(op).input.shape && { agent: 'a' }),
  ...CALLS[op],
  ...more,
})

describe.each(OPS)('%s', (op) => {
  const { role, identity } = contractOf(op)

  test('is refused below its role, and in a namespace that the token does not reach: 403 FORBIDDEN, with the role needed', async () => {
    const lower = role === 'viewer' ? [] : role === 'writer' ? ['viewer'] : ['viewer', 'writer']
    for (const who of [...lower, 'stranger']) {
      await refusedOnBoth(op, placed(op), who, { code: 'FORBIDDEN', field: 'namespace', role_needed: role } as never)
    }
  })

  test('is refused where nothing names the namespace or the agent it needs: 400 MISSING_IDENTITY_FIELD, with the field', async () => {
    const input = placed(op, { namespace: undefined })
    await refusedOnBoth(op, input, 'ofTwo', { code: 'MISSING_IDENTITY_FIELD', field: 'namespace' } as never)
    if (identity !== 'exact') return
    const { status, body } = await post(op, placed(op, { agent: undefined }), 'ofTwo')
    expect([status, body.detail]).toMatchObject([400, { code: 'MISSING_IDENTITY_FIELD', field: 'agent' }])
  })
})

describe.each(['memory.copy_to', 'memory.cross_promote'] as const)('%s', (op) => {
  test('is refused where the token may not write in the namespace it would write to: 403 FORBIDDEN, with the role needed', async () => {
    const input = placed(op, { to_namespace: 'elsewhere' })
    await refusedOnBoth(op, input, 'writer', { code: 'FORBIDDEN', field: 'to_namespace', role_needed: 'writer' } as never)
  })
})

test('memory.copy_to is refused to a token bounded to one session: 403 FORBIDDEN', async () => {
  await refusedOnBoth('memory.copy_to', placed('memory.copy_to', { to_namespace: 'elsewhere' }), 'ofSession', { code: 'FORBIDDEN' })
})
