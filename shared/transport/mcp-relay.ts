import { LoomError, isErrorBody } from '../contract/errors.ts'
import { readFrames } from '../contract/event-frames.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import { toolNameOf } from '../contract/mcp-surface.ts'
import type { Caller } from '../engine/caller.ts'
import type { McpCall, McpCallMeta } from './mcp.ts'
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

/** The answer to a call, which comes by itself or at the end of a stream that tells of its progress. */
async function answerIn(response: Response, progress: McpCallMeta['progress']): Promise<ToolAnswer> {
  if (response.body === null || response.headers.get('content-type')?.startsWith('text/event-stream') !== true)
    return parseJson(await response.text()) as ToolAnswer
  let answer: ToolAnswer | null = null
  const text = response.body.pipeThrough(new TextDecoderStream())
  await readFrames(text.getReader(), ({ data }) => {
    const message = parseJson(data) as ToolAnswer & { method?: string; params?: { _meta?: Record<string, unknown> } }
    if (message.method === undefined) answer = message
    else progress?.((message.params?._meta?.['loom/progress'] ?? {}) as Record<string, unknown>)
  })
  if (answer === null) throw new Error('The answer broke off.')
  return answer
}

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
        _meta: {
          ...(meta.idempotencyKey !== undefined && { 'loom/idempotency-key': meta.idempotencyKey }),
          ...(meta.progress && { progressToken: count }),
        },
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
      .then((response) => answerIn(response, meta.progress))
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
