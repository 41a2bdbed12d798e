import { parseJson, stringifyJson } from '../../shared/contract/json.ts'
import type { Engine } from '../../shared/engine/api.ts'
import { createHttpApp, type HttpOptions } from '../../shared/transport/http.ts'
import type { Log } from '../../shared/transport/log.ts'
import { listen, type Listening, type ListenOptions } from '../../shared/transport/serve.ts'

/** Keeps what a transport logs, for tests that look at it. */
export function quietLog(): Log & { readonly lines: unknown[] } {
  const lines: unknown[] = []
  const keep = (fields: object, message: string): void => void lines.push({ ...fields, message })
  return { lines, info: keep, warn: keep, error: keep }
}

/** Serves an engine on a free loopback port. */
export function serveEngine(engine: Engine, options: Partial<HttpOptions & ListenOptions> = {}): Promise<Listening> {
  const { host = '127.0.0.1', port = 0, ...rest } = options
  return listen(createHttpApp(engine, { logger: quietLog(), ...rest }), { host, port, ...rest })
}

export interface RpcAnswer {
  readonly status: number
  readonly headers: Headers
  readonly body: {
    readonly result?: ToolResult & Record<string, unknown>
    readonly error?: { readonly code: number; readonly message: string }
  } & Record<string, unknown>
}

export interface ToolResult {
  readonly isError?: boolean
  readonly content: readonly { readonly type: string; readonly text: string }[]
  readonly structuredContent: Record<string, unknown>
}

/** One JSON-RPC request to an address of /mcp, without losing a digit. */
export async function rpc(address: string, method: string, params: unknown, headers: Record<string, string> = {}): Promise<RpcAnswer> {
  const response = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: stringifyJson({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return { status: response.status, headers: response.headers, body: parseJson(await response.text()) as RpcAnswer['body'] }
}

/** What a tool answered, or the error that it says, as every other road raises it. */
