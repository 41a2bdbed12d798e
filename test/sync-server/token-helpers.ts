import type { Claims } from '../../shared/contract/ops/engine/info.ts'
import { isErrorBody } from '../../shared/contract/errors.ts'
import { parseJson, stringifyJson } from '../../shared/contract/json.ts'
import type { Database } from '../../shared/engine/db/database.ts'
import { mintToken, type NewToken } from '../../shared/engine/store/tokens.ts'
import { rpc } from '../helpers/serve-engine.ts'

export interface Answer {
  readonly status: number
  readonly body: Record<string, unknown>
  readonly headers: Headers
}

/** Mints a token straight into a store: `mint(database, { org: 'a', grants: { chat: 'writer' } })`. */
export async function mint(
  database: Database,
  token: Partial<NewToken> & Pick<NewToken, 'grants'>,
): Promise<{ token: string; claims: Claims }> {
  const whole: NewToken = { org: 'acme', subject: 'tester', kind: 'human', ...token }
  return database.transaction((tx) => mintToken(tx, whole, { actor: 'process:test', requestId: 'test' }, new Date()))
}

/** One call over HTTP, with an Authorization header or without. */
export async function overHttp(url: string, op: string, input: object, authorization?: string): Promise<Answer> {
  const response = await fetch(`${url}/v1/${op}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
    body: stringifyJson(input),
  })
  return { status: response.status, body: parseJson(await response.text()) as Answer['body'], headers: response.headers }
}

/** The same call as an MCP tool; a refusal of the tool has status 200 and the documented body. */
export async function overMcp(url: string, op: string, input: object, authorization?: string): Promise<Answer> {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
  const {
    status,
    body,
    headers: got,
  } = await rpc(`${url}/mcp`, 'tools/call', { name: `loom_${op.replaceAll('.', '_')}`, arguments: input }, headers)
  return { status, body: body.result?.structuredContent ?? body, headers: got }
}

/** The error that an answer says; throws where it says none. */
export function detailOf(answer: Answer): Record<string, unknown> & { code: string; message: string } {
  if (!isErrorBody(answer.body)) throw new Error(`no error in ${stringifyJson(answer.body)}`)
  return answer.body.detail
}
