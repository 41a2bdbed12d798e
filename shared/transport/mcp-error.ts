import type { ErrorBody } from '../contract/errors.ts'

/** A refusal at /mcp: the documented body, which JSON-RPC clients can read as well. */
export function mcpErrorBody(body: ErrorBody): unknown {
  const { code, message } = body.detail
  const rpc = code === 'INVALID_JSON' ? -32_700 : code === 'INTERNAL' ? -32_603 : -32_600
  return { jsonrpc: '2.0', id: null, error: { code: rpc, message, data: body }, ...body }
}
