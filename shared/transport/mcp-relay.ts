import { LoomError, isErrorBody } from '../contract/errors.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import { toolNameOf } from '../contract/mcp-surface.ts'
import type { Caller } from '../engine/caller.ts'
import type { McpCall } from './mcp.ts'
import { sessionIdFor } from './mcp-session.ts'

export interface RelayOptions {
  /** Address of the running app, without path. */
  readonly baseUrl: string
  readonly token?: string
  readonly fills?: Caller['fills']
  readonly fetch?: typeof fetch
}

interface ToolAnswer {
  readonly error?: { readonly message: string }
  readonly result?: { readonly isError?: boolean; readonly structuredContent?: Record<string, unknown> }
}

const END_MS = 2000

/** Calls through a running app, and the end of the sessions that they made there. */
export interface RelayedCall extends McpCall {
  readonly end: () => Promise<void>
}

/**
 * Runs the calls of a stdio client on a running app, through its /mcp, so that rows carry the client's name as they
 * would had it connected there itself.
 * @throws LoomError UNAVAILABLE where the app does not answer; else what the app answered.
 */
export function relayCall(options: RelayOptions): RelayedCall {
  const { baseUrl, token, fills = {}, fetch: send = globalThis.fetch } = options
  const url = new URL('/mcp', baseUrl)
  for (const [field, value] of Object.entries(fills)) url.searchParams.set(field, value)
  // The app takes a session id from the process that made it: it carries the client's name, and nothing else.
  const sessions = new Map<string, string>()
  let count = 0

  const authorization: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` }
  /** Where this does not come through, the app ends them by itself, later. */
  const end = async (): Promise<void> => {
    const ended = [...sessions.values()].map((session) =>
      send(url, { method: 'DELETE', headers: { 'mcp-session-id': session, ...authorization }, signal: AbortSignal.timeout(END_MS) }),
    )
    sessions.clear()
    await Promise.allSettled(ended)
  }

  const call: McpCall = async (op, input, meta) => {
    const session = sessions.get(meta.client) ?? sessionIdFor(meta.client)
    sessions.set(meta.client, session)
    const message = {
      jsonrpc: '2.0',
      id: ++count,
      method: 'tools/call',
      params: {
        name: toolNameOf(op),
        arguments: input,
        ...(meta.idempotencyKey === undefined ? {} : { _meta: { 'loom/idempotency-key': meta.idempotencyKey } }),
      },
    }
    const answer = await send(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-session-id': session,
        ...authorization,
      },
      body: stringifyJson(message),
      signal: meta.signal,
    })
      .then(async (response) => parseJson(await response.text()) as ToolAnswer)
      .catch((cause: unknown) => {
        throw new LoomError('UNAVAILABLE', `Loom at ${baseUrl} does not answer. Is it running?`, {}, { cause })
      })
    const content = answer.result?.structuredContent
    if (content !== undefined && answer.result?.isError !== true) return content
    const refused = content ?? answer
    if (isErrorBody(refused)) {
      const { code, message: text, category: _, retryable: __, ...fields } = refused.detail
      throw new LoomError(code, text, fields)
    }
    throw new LoomError('INTERNAL', answer.error?.message ?? `What answers at ${baseUrl} is not Loom.`)
  }
  return Object.assign(call, { end })
}
