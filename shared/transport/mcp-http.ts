import { WebStandardStreamableHTTPServerTransport, createMcpHandler, isLegacyRequest, type Server } from '@modelcontextprotocol/server'
import { AgentName, Name, SubjectName } from '../contract/common.ts'
import { LoomError, errorBody, type ErrorCode } from '../contract/errors.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import { readToolsets, type Toolsets } from '../contract/mcp-surface.ts'
import type { Engine } from '../engine/api.ts'
import type { Caller } from '../engine/caller.ts'
import { bearerToken } from './bearer.ts'
import { readJsonBody } from './http-body.ts'
import type { Log } from './log.ts'
import { agentNameOf, createMcpServer, engineCall } from './mcp.ts'
import { markIntegers, restoreIntegers, restoringIntegers } from './mcp-lossless.ts'
import { clientOfSession, sessionIdFor, sessionKeyOf } from './mcp-session.ts'

const FILLS = { namespace: Name, agent: AgentName, user_id: SubjectName, session_id: SubjectName } as const

/**
 * Identity that an address names: `/mcp?namespace=…&agent=…&user_id=…&session_id=…`.
 * @throws LoomError INVALID_ARGUMENT naming the parameter.
 */
export function readFills(query: URLSearchParams): Caller['fills'] {
  const fills: { namespace?: string; agent?: string; user_id?: string; session_id?: string } = {}
  for (const field of Object.keys(FILLS) as (keyof typeof FILLS)[]) {
    const given = query.get(field)
    if (given === null) continue
    const read = FILLS[field].safeParse(given)
    if (!read.success)
      throw new LoomError('INVALID_ARGUMENT', `${field} in the address ${read.error.issues[0]?.message ?? 'is not valid'}.`, { field })
    fills[field] = read.data
  }
  return fills
}

/** Answers one request at /mcp. */
export type McpEndpoint = (request: Request, requestId: string, address?: string) => Promise<Response>

interface Connection {
  readonly toolsets: Toolsets
  readonly fills: Caller['fills']
  readonly token: string | undefined
  readonly address: string | undefined
  readonly client: string | undefined
  readonly session: string | undefined
  readonly requestId: string
  /** The client takes a stream, as every client of streamable HTTP has to say. */
  readonly takesEvents: boolean
}

function nameInHandshake(message: unknown): string | undefined {
  const { method, params } = message as { method?: unknown; params?: { clientInfo?: { name?: unknown } } }
  return method === 'initialize' && typeof params?.clientInfo?.name === 'string' ? params.clientInfo.name : undefined
}

/** A call whose client asks to be told of its progress. */
function asksForProgress(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { _meta?: { progressToken?: unknown } } }
  return method === 'tools/call' && params?._meta?.progressToken !== undefined
}

/** A stream that tells of its end, whichever side ended it. */
function endingStream(body: ReadableStream<Uint8Array>, onEnd: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      onEnd()
      controller.close()
    },
    async cancel(reason) {
      onEnd()
      await reader.cancel(reason)
    },
  })
}

/** What the SDK refused by itself, with the documented body beside its own. */
function documented(text: string, status: number, requestId: string): string {
  const code = CODE_OF_STATUS[status]
  const body = parseJson(text) as { readonly error?: { readonly message?: string } }
  if (code === undefined) return text
  return stringifyJson({
    ...body,
    ...errorBody(new LoomError(code, body.error?.message ?? 'The request is not valid MCP.'), requestId),
  })
}

const CODE_OF_STATUS: Readonly<Record<number, ErrorCode>> = { 400: 'INVALID_JSON', 404: 'UNKNOWN_OPERATION', 500: 'INTERNAL' }

async function finished(response: Response, requestId: string, headers: Record<string, string> = {}): Promise<Response> {
  const merged = new Headers(response.headers)
  for (const [name, value] of Object.entries(headers)) merged.set(name, value)
  const { status } = response
  const type = merged.get('content-type') ?? ''
  if (type.startsWith('text/event-stream') && response.body)
    return new Response(response.body.pipeThrough(restoringIntegers()), { status, headers: merged })
  if (!type.startsWith('application/json')) return new Response(response.body, { status, headers: merged })
  const text = restoreIntegers(await response.text())
  return new Response(response.ok ? text : documented(text, status, requestId), { status, headers: merged })
}

/**
 * MCP over streamable HTTP, without a session kept: each request is answered by itself, by JSON, or by a stream where its
 * client asks to be told of its progress.
 */
export function createMcpEndpoint(engine: Engine, log: Log): McpEndpoint {
  const serverFor = ({ toolsets, fills, token, address, client, session, requestId, takesEvents }: Connection): Server =>
    createMcpServer({
      call: engineCall(engine, fills, token, address, session),
      toolsets,
      log,
      encode: markIntegers,
      tellsProgress: takesEvents,
      requestId,
      ...(client === undefined ? {} : { client }),
    })
  const modern = createMcpHandler(({ authInfo }) => serverFor(authInfo?.extra?.connection as Connection), {
    legacy: 'reject',
    maxRequestBodySize: engine.limits.maxRequestBytes,
  })

  async function answerLegacy(request: Request, message: unknown, connection: Connection): Promise<Response> {
    const streams = connection.takesEvents && asksForProgress(message)
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams })
    const server = serverFor(connection)
    await server.connect(transport)
    const gone = new Promise<never>((_, reject) => {
      request.signal.addEventListener('abort', () => reject(new LoomError('CANCELLED', 'The caller went away.')), { once: true })
    })
    let ends = true
    try {
      const response = await Promise.race([transport.handleRequest(request, { parsedBody: message }), gone])
      if (!streams || response.body === null) return response
      ends = false
      const close = (): void => void server.close()
      request.signal.addEventListener('abort', close, { once: true })
      return new Response(endingStream(response.body, close), response)
    } finally {
      if (ends) await server.close()
    }
  }

  return async (request, requestId, address) => {
    const session = request.headers.get('mcp-session-id')
    const ends = request.method === 'DELETE' && session !== null
    if (request.method !== 'POST' && !ends)
      throw new LoomError('METHOD_NOT_ALLOWED', 'MCP takes POST, and DELETE of a session; no stream is held open.', { allow: 'POST' })
    const { searchParams } = new URL(request.url)
    const token = bearerToken(request.headers.get('authorization'))
    // Before the body is read: a stranger may not make us read 32 MiB.
    if (engine.mode === 'multi') await engine.authenticate(token, undefined, address)
    if (ends) {
      clientOfSession(session)
      await engine.endSession?.(sessionKeyOf(session))
      return new Response(null, { status: 204 })
    }
    const connection: Connection = {
      toolsets: readToolsets(searchParams.get('toolset')),
      fills: readFills(searchParams),
      token,
      address,
      client: session === null ? undefined : clientOfSession(session),
      session: session === null ? undefined : sessionKeyOf(session),
      requestId,
      takesEvents: (request.headers.get('accept') ?? '').includes('text/event-stream'),
    }
    const message = await readJsonBody(request, engine.limits.maxRequestBytes)
    const headers = new Headers(request.headers)
    // Answers are JSON whatever a client prefers, but for those that tell of their progress.
    headers.set('accept', 'application/json, text/event-stream')
    const bare = new Request(request.url, { method: 'POST', headers, signal: request.signal })
    if (!(await isLegacyRequest(bare, message))) {
      const authInfo = { token: '', clientId: '', scopes: [], extra: { connection } }
      return finished(await modern.fetch(bare, { parsedBody: message, authInfo }), requestId)
    }
    const client = nameInHandshake(message)
    const response = await answerLegacy(bare, message, connection)
    return finished(
      response,
      requestId,
      client === undefined || !response.ok ? {} : { 'mcp-session-id': sessionIdFor(agentNameOf(client)) },
    )
  }
}
