import { CLIENT_INFO_META_KEY, Server, type CallToolResult, type ServerContext } from '@modelcontextprotocol/server'
import { LoomError, errorBody, isLoomError } from '../contract/errors.ts'
import { parseJson, stringifyJson } from '../contract/json.ts'
import { MCP_INSTRUCTIONS, helpFor, listedTools, requireMcpOp, requireMcpTool, type Toolsets } from '../contract/mcp-surface.ts'
import { LOOM_VERSION } from '../contract/version.ts'
import type { Engine } from '../engine/api.ts'
import type { Caller } from '../engine/caller.ts'
import { idempotencyKey } from './idempotency-key.ts'
import { logFault } from './http-answer.ts'
import type { Log } from './log.ts'
import { offerReadings } from './mcp-offers.ts'
import { requestIdFrom } from './request-id.ts'

export interface McpCallMeta {
  /** Name of the MCP client. */
  readonly client: string
  readonly requestId: string
  readonly idempotencyKey?: string
  readonly signal: AbortSignal
  /** Told what comes of the call, where the client asked to be. */
  readonly progress?: (told: Record<string, unknown>) => void
}

/**
 * Runs one operation for an MCP client.
 * @throws LoomError for everything that is not a success.
 */
export type McpCall = (op: string, input: Record<string, unknown>, meta: McpCallMeta) => Promise<Record<string, unknown>>

export interface McpServerOptions {
  readonly call: McpCall
  readonly toolsets: Toolsets
  readonly log: Log
  /** The client's name where the connection knows it before the SDK does. */
  readonly client?: string
  /** Id of the request that carries the calls; each call gets one of its own when left out. */
  readonly requestId?: string
  /** Makes answers fit the transport's serialiser. */
  readonly encode?: (answer: unknown) => unknown
  /** false: the client takes nothing before the answer. */
  readonly tellsProgress?: boolean
}

/**
 * A call of the engine in this process, with the identity that the connection names.
 * @param session whose calls are one implicit run
 */
export function engineCall(engine: Engine, fills: Caller['fills'], token?: string, address?: string, session?: string): McpCall {
  return async (op, input, meta) => {
    const claims = await engine.authenticate(token, meta.client, address)
    return engine.run(op, input, {
      claims,
      transport: 'mcp',
      fills: { agent: meta.client, ...fills },
      local: false,
      requestId: meta.requestId,
      signal: meta.signal,
      ...(meta.progress && { progress: meta.progress }),
      ...(address === undefined ? {} : { address }),
      ...(session === undefined ? {} : { mcpSession: session }),
      ...(meta.idempotencyKey === undefined ? {} : { idempotencyKey: meta.idempotencyKey }),
    })
  }
}

/** A client's name as an agent may be called: no control characters, at most 200 units, never empty. */
export function agentNameOf(client: string | undefined): string {
  const name = (client ?? '')
    .replaceAll(/[\p{Cc}\p{Cs}]+/gu, ' ')
    .trim()
    .slice(0, 200)
    .replace(/[\ud800-\udbff]$/, '')
  return name === '' ? 'mcp' : name
}

function objectOf(value: unknown): Record<string, unknown> {
  if (value === undefined || value === null) return {}
  // Models often send an object as its JSON text.
  const read = typeof value === 'string' ? parseJson(value) : value
  if (typeof read === 'object' && read !== null && !Array.isArray(read)) return read as Record<string, unknown>
  throw new LoomError('INVALID_ARGUMENT', 'arguments has to be an object with the fields of the operation.', { field: 'arguments' })
}

function textOf(fields: Record<string, unknown>, name: 'op' | 'query'): string {
  const value = fields[name] ?? ''
  if (typeof value === 'string' && (value !== '' || name === 'query')) return value
  throw new LoomError('INVALID_ARGUMENT', `${name} has to be a text, such as "memory.list" or "help".`, { field: name })
}

async function runTool(
  tool: string,
  fields: Record<string, unknown>,
  call: (op: string, input: Record<string, unknown>) => Promise<Record<string, unknown>>,
): Promise<unknown> {
  if (tool !== 'loom_op') return call(requireMcpTool(tool), fields)
  const op = textOf(fields, 'op')
  if (op === 'help') return helpFor(textOf(fields, 'query'))
  return call(requireMcpOp(op), objectOf(fields.arguments))
}

function clientOf(server: Server, context: ServerContext, given: string | undefined): string {
  const envelope = context.mcpReq.envelope as Record<string, unknown> | undefined
  const named = envelope?.[CLIENT_INFO_META_KEY] as { readonly name?: string } | undefined
  // On connections that opened with the older handshake the SDK keeps the name.
  return agentNameOf(given ?? named?.name ?? server.getClientVersion()?.name)
}

/** What a client that named a token is told on the way: the text for people, and all of it beside. */
function progressOf(
  { mcpReq }: ServerContext,
  { encode = (told) => told, tellsProgress = true, log }: McpServerOptions,
): Pick<McpCallMeta, 'progress'> {
  const progressToken = mcpReq._meta?.progressToken
  if (progressToken === undefined || !tellsProgress) return {}
  let progress = 0
  const tell = (told: Record<string, unknown>): void => {
    const message = typeof told['text'] === 'string' && told['text'] !== '' ? { message: told['text'] } : {}
    const params = { progressToken, progress: ++progress, ...message, _meta: { 'loom/progress': encode(told) } }
    mcpReq.notify({ method: 'notifications/progress', params }).catch((error: unknown) => log.warn({ err: error }, 'progress was not told'))
  }
  return { progress: tell }
}

/** An MCP server whose tools are the registry's operations, and whose prompts and resources read by them. One per connection or request. */
export function createMcpServer(options: McpServerOptions): Server {
  const { call, toolsets, log, encode = (answer) => answer } = options
  const server = new Server(
    { name: 'loom', title: 'Loom', version: LOOM_VERSION },
    { capabilities: { tools: {}, prompts: {}, resources: {} }, instructions: MCP_INSTRUCTIONS },
  )
  const metaOf = (context: ServerContext, requestId: string): McpCallMeta => ({
    client: clientOf(server, context, options.client),
    requestId,
    signal: context.mcpReq.signal,
  })
  offerReadings(server, ({ op, input }, context) => call(op, { ...input }, metaOf(context, requestIdFrom(options.requestId))))
  server.setRequestHandler('tools/list', () => ({ tools: [...listedTools(toolsets)] as never }))
  server.setRequestHandler('tools/call', async ({ params }, context): Promise<CallToolResult> => {
    const requestId = requestIdFrom(options.requestId)
    const done = (answer: unknown, isError: boolean): CallToolResult => ({
      content: [{ type: 'text', text: stringifyJson(answer) }],
      structuredContent: encode(answer),
      ...(isError ? { isError } : {}),
    })
    try {
      const meta: McpCallMeta = {
        ...metaOf(context, requestId),
        ...progressOf(context, options),
        ...idempotencyKey(context.mcpReq._meta?.['loom/idempotency-key'], '_meta.loom/idempotency-key'),
      }
      return done(await runTool(params.name, params.arguments ?? {}, (op, input) => call(op, input, meta)), false)
    } catch (error) {
      logFault(log, error, requestId)
      // An answer that was relayed is in the other process's log, under its id.
      const relayed = isLoomError(error) ? error.fields.request_id : undefined
      return done(errorBody(error, typeof relayed === 'string' ? relayed : requestId), true)
    }
  })
  return server
}
