import { Hono, type Context } from 'hono'
import { LoomError, errorBody, statusOf } from '../contract/errors.ts'
import { requireOp } from '../contract/known-op.ts'
import type { Claims } from '../contract/ops/engine/info.ts'
import { contractOf } from '../contract/registry.ts'
import { openApiDocument } from '../contract/openapi.ts'
import type { Engine } from '../engine/api.ts'
import { nobodyClaims, type Caller } from '../engine/caller.ts'
import { bearerToken } from './bearer.ts'
import { errorAnswer, errorHeaders, jsonAnswer, logFault } from './http-answer.ts'
import { readObjectBody } from './http-body.ts'
import { eventStream } from './http-events.ts'
import { eventAnswer, wantsEvents, type ToldRun } from './http-progress.ts'
import { isHostCall } from '../contract/host-calls.ts'
import type { HostCalls } from './host-calls.ts'
import { idempotencyKey } from './idempotency-key.ts'
import { checkHost, isLoopback, type HostRules } from './known-host.ts'
import type { Log } from './log.ts'
import { mcpErrorBody } from './mcp-error.ts'
import type { McpEndpoint } from './mcp-http.ts'
import { requestIdFrom } from './request-id.ts'
import { shapeResponse, type ShapeSource } from './shape.ts'
import { staticAnswer } from './static-files.ts'

export interface HttpOptions extends Partial<HostRules> {
  readonly logger: Log
  /** What a person switched off answers 404, but for health; all of it is served when left out. */
  readonly serves?: { readonly http: boolean; readonly mcp: boolean }
  /** Folder of the built interface, served at `/`. */
  readonly staticDir?: string
  /** The shapes behind `GET /v1/shape`; no such route when left out. */
  readonly shapes?: ShapeSource
  /** Answered to our own page in a browser, for a person with every right; no such calls when left out. */
  readonly hostCalls?: HostCalls
  /** Text of `GET /metrics`; no such route when left out. */
  readonly metrics?: () => string | Promise<string>
}

export interface HttpEnv {
  Bindings: {
    readonly incoming?: { readonly socket: { readonly remoteAddress?: string } }
    /** Aborts when the server is about to close: streams that have no end of their own end. */
    readonly closing?: AbortSignal
  }
  Variables: { requestId: string }
}

/** How the command line names itself. */
const COMMAND_LINE = 'loom-cli/'
/** Whoever calls without a token may not make us read more. */
const MOST_BYTES_OF_NOBODY = 65_536

function refuseMethod(allow: string): never {
  throw new LoomError('METHOD_NOT_ALLOWED', `This address takes ${allow} only.`, { allow })
}

function noRoute(path: string): never {
  throw new LoomError(
    'UNKNOWN_OPERATION',
    `There is nothing at ${path.slice(0, 100)}. Operations answer at POST /v1/<operation>; GET /v1/openapi.json lists them.`,
  )
}

function switchedOff(setting: string, what: string): never {
  throw new LoomError(
    'UNKNOWN_OPERATION',
    `Calls over ${what} are switched off on this Loom. Its setting ${setting} turns them on, from the next start.`,
    {
      setting,
    },
  )
}

/**
 * The HTTP face of an engine: operations, health, OpenAPI, events, MCP, and the built interface. It translates, and
 * decides nothing. Every failure answers the documented error body.
 */
export function createHttpApp(engine: Engine, options: HttpOptions): Hono<HttpEnv> {
  const { logger, hostCalls, metrics, shapes, serves = { http: true, mcp: true } } = options
  const staticDir = serves.http ? options.staticDir : undefined
  const rules: HostRules = {
    allowedHosts: options.allowedHosts ?? isLoopback,
    allowedOrigins: options.allowedOrigins ?? (() => false),
  }
  const app = new Hono<HttpEnv>()
  // Read when the first agent calls: it is a fifth of all code, which every start would wait for.
  let mcp: Promise<McpEndpoint> | null = null
  const openMcp = (): Promise<McpEndpoint> =>
    (mcp ??= import('./mcp-http.ts').then(({ createMcpEndpoint }) => createMcpEndpoint(engine, logger)))
  // Made when it is first asked for: it takes a tenth of a second of every start.
  let openapi: Response | null = null
  const document = (): Response => (openapi ??= jsonAnswer(openApiDocument(engine.mode, engine.host))).clone()
  const addressOf = (c: Context<HttpEnv>): { readonly address?: string } => {
    const address = c.env?.incoming?.socket.remoteAddress
    return address === undefined ? {} : { address }
  }
  const authenticate = (c: Context<HttpEnv>): Promise<Claims> =>
    engine.authenticate(bearerToken(c.req.header('authorization')), undefined, addressOf(c).address)

  app.use(async (c, next) => {
    c.set('requestId', requestIdFrom(c.req.header('x-request-id')))
    checkHost(rules, c.req.header('host') ?? new URL(c.req.url).host, new URL(c.req.url).host, c.req.header('origin'))
    await next()
    c.res.headers.set('x-request-id', c.get('requestId'))
    c.res.headers.set('x-content-type-options', 'nosniff')
  })

  app.on(['GET', 'HEAD'], '/v1/health', () => jsonAnswer(engine.health()))
  app.all('/v1/health', () => refuseMethod('GET, HEAD'))
  if (!serves.http) app.all('/v1/*', () => switchedOff('server.http', 'HTTP'))
  if (!serves.mcp) app.all('/mcp', () => switchedOff('server.mcp', 'MCP'))
  app.on(['GET', 'HEAD'], '/v1/openapi.json', document)
  app.all('/v1/openapi.json', () => refuseMethod('GET, HEAD'))
  app.get('/v1/events', async (c) => {
    const signals = [c.req.raw.signal, ...(c.env?.closing === undefined ? [] : [c.env.closing])]
    const claims = await authenticate(c)
    engine.draw('read', { claims, ...addressOf(c) })
    return eventStream(engine, claims, AbortSignal.any(signals), () => authenticate(c))
  })
  app.all('/v1/events', () => refuseMethod('GET'))

  if (shapes !== undefined) {
    app.get('/v1/shape', async (c) => {
      const signals = [c.req.raw.signal, ...(c.env?.closing === undefined ? [] : [c.env.closing])]
      const claims = await authenticate(c)
      engine.draw('read', { claims, ...addressOf(c) })
      return shapeResponse(c.req.raw, shapes, { claims, signal: AbortSignal.any(signals), recheck: () => authenticate(c) })
    })
    app.all('/v1/shape', () => refuseMethod('GET'))
  }

  const answerOp = async (c: Context<HttpEnv>, name: string): Promise<Response> => {
    const op = requireOp(name)
    if (c.req.method !== 'POST') refuseMethod('POST')
    const isForNobody = contractOf(op).role === 'none'
    const caller: Caller = {
      claims: isForNobody ? nobodyClaims() : await authenticate(c),
      ...addressOf(c),
      transport: 'http',
      fills: {},
      local: engine.mode === 'single',
      requestId: c.get('requestId'),
      signal: c.req.raw.signal,
      // Browsers alone name an origin, and only ours comes this far: the memory browser.
      ...(c.req.header('origin') !== undefined && { isWindow: true }),
      ...(c.req.header('user-agent')?.startsWith(COMMAND_LINE) && { isCommandLine: true }),
      ...idempotencyKey(c.req.header('idempotency-key'), 'Idempotency-Key'),
    }
    const limit = Math.min(engine.limits.maxRequestBytes, isForNobody ? MOST_BYTES_OF_NOBODY : Infinity)
    const input = await readObjectBody(c.req.raw, limit)
    if (contractOf(op).progress === undefined || !wantsEvents(c.req.header('accept')))
      return jsonAnswer(await engine.run(op, input, caller))
    const run: ToldRun = (progress, signal) => engine.run(op, input, { ...caller, progress, signal })
    return eventAnswer(run, { requestId: caller.requestId, log: logger, signal: c.req.raw.signal })
  }
  const answerHostCall = async (c: Context<HttpEnv>, next: () => Promise<void>): Promise<Response | void> => {
    const name = c.req.param('op') ?? ''
    if (hostCalls === undefined || !isHostCall(name)) return next()
    if (c.req.method !== 'POST') refuseMethod('POST')
    // A page of another site was refused by its Origin; a program names none.
    const claims = await authenticate(c)
    if (c.req.header('origin') === undefined || claims.grants['*'] !== 'platform_admin')
      throw new LoomError('FORBIDDEN', 'Only the memory browser of this computer may ask this, for an admin of the install.')
    return jsonAnswer(await hostCalls.run(name, await readObjectBody(c.req.raw, MOST_BYTES_OF_NOBODY)))
  }
  app.all('/v1/:op', answerHostCall)
  app.all('/v1/admin/token.mint', (c) => answerOp(c, 'token.mint'))
  app.all('/v1/:op', (c) => answerOp(c, c.req.param('op')))

  app.all('/mcp', async (c) => (await openMcp())(c.req.raw, c.get('requestId'), addressOf(c).address))

  if (metrics !== undefined) {
    app.get('/metrics', async (c) => {
      const nearby = isLoopback((c.env.incoming?.socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
      if (!nearby || c.req.header('x-forwarded-for') !== undefined || c.req.header('forwarded') !== undefined) {
        const claims = await authenticate(c)
        if (claims.grants['*'] !== 'platform_admin') throw new LoomError('FORBIDDEN', 'Metrics need a token of a platform admin.')
      }
      return c.text(await metrics(), 200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' })
    })
  }

  if (staticDir !== undefined) {
    app.on(['GET', 'HEAD'], '*', async (c, next) => {
      // Addresses of the API never fall back to a page.
      if (c.req.path.startsWith('/v1/')) return next()
      const wantsPage = c.req.header('accept')?.includes('text/html') ?? false
      return (await staticAnswer(staticDir, c.req.path, wantsPage)) ?? next()
    })
  }
  app.notFound((c) => noRoute(c.req.path))

  app.onError((error, c) => {
    const requestId = c.get('requestId') ?? requestIdFrom(undefined)
    logFault(logger, error, requestId)
    if (c.req.path !== '/mcp') return errorAnswer(error, requestId)
    const body = errorBody(error, requestId)
    return jsonAnswer(mcpErrorBody(body), statusOf(body.detail.code), errorHeaders(body))
  })
  return app
}
