import { Hono, type Context } from 'hono'
import { LoomError, errorBody, statusOf } from '../contract/errors.ts'
import { requireOp } from '../contract/known-op.ts'
import { openApiDocument } from '../contract/openapi.ts'
import type { Engine } from '../engine/api.ts'
import type { Caller } from '../engine/caller.ts'
import { bearerToken } from './bearer.ts'
import { errorAnswer, errorHeaders, jsonAnswer, logFault } from './http-answer.ts'
import { readObjectBody } from './http-body.ts'
import { eventStream } from './http-events.ts'
import { idempotencyKey } from './idempotency-key.ts'
import { checkHost, isLoopback, type HostRules } from './known-host.ts'
import type { Log } from './log.ts'
import { createMcpEndpoint, mcpErrorBody } from './mcp-http.ts'
import { requestIdFrom } from './request-id.ts'
import { staticAnswer } from './static-files.ts'

export interface HttpOptions extends Partial<HostRules> {
  readonly logger: Log
  /** Folder of the built interface, served at `/`. */
  readonly staticDir?: string
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

function refuseMethod(allow: string): never {
  throw new LoomError('METHOD_NOT_ALLOWED', `This address takes ${allow} only.`, { allow })
}

function noRoute(path: string): never {
  throw new LoomError(
    'UNKNOWN_OPERATION',
    `There is nothing at ${path.slice(0, 100)}. Operations answer at POST /v1/<operation>; GET /v1/openapi.json lists them.`,
  )
}

/**
 * The HTTP face of an engine: operations, health, OpenAPI, events, MCP, and the built interface. It translates, and
 * decides nothing. Every failure answers the documented error body.
 */
export function createHttpApp(engine: Engine, options: HttpOptions): Hono<HttpEnv> {
  const { logger, staticDir, metrics } = options
  const rules: HostRules = {
    allowedHosts: options.allowedHosts ?? isLoopback,
    allowedOrigins: options.allowedOrigins ?? (() => false),
  }
  const app = new Hono<HttpEnv>()
  const mcp = createMcpEndpoint(engine, logger)
  const openapi = jsonAnswer(openApiDocument(engine.mode))
  const tokenOf = (c: Context<HttpEnv>): string | undefined => bearerToken(c.req.header('authorization'))

  app.use(async (c, next) => {
    c.set('requestId', requestIdFrom(c.req.header('x-request-id')))
    checkHost(rules, c.req.header('host') ?? new URL(c.req.url).host, new URL(c.req.url).host, c.req.header('origin'))
    await next()
    c.res.headers.set('x-request-id', c.get('requestId'))
    c.res.headers.set('x-content-type-options', 'nosniff')
  })

  app.on(['GET', 'HEAD'], '/v1/health', () => jsonAnswer(engine.health()))
  app.all('/v1/health', () => refuseMethod('GET, HEAD'))
  app.on(['GET', 'HEAD'], '/v1/openapi.json', () => openapi.clone())
  app.all('/v1/openapi.json', () => refuseMethod('GET, HEAD'))
  app.get('/v1/events', async (c) => {
    const signals = [c.req.raw.signal, ...(c.env?.closing === undefined ? [] : [c.env.closing])]
    return eventStream(engine, await engine.authenticate(tokenOf(c)), AbortSignal.any(signals))
  })
  app.all('/v1/events', () => refuseMethod('GET'))

  app.all('/v1/:op', async (c) => {
    const op = requireOp(c.req.param('op'))
    if (c.req.method !== 'POST') refuseMethod('POST')
    const claims = await engine.authenticate(tokenOf(c))
    const caller: Caller = {
      claims,
      transport: 'http',
      fills: {},
      local: engine.mode === 'single',
      requestId: c.get('requestId'),
      signal: c.req.raw.signal,
      ...idempotencyKey(c.req.header('idempotency-key'), 'Idempotency-Key'),
    }
    return jsonAnswer(await engine.run(op, await readObjectBody(c.req.raw, engine.limits.maxRequestBytes), caller))
  })

  app.all('/mcp', (c) => mcp(c.req.raw, c.get('requestId')))

  if (metrics !== undefined) {
    app.get('/metrics', async (c) => {
      const nearby = isLoopback((c.env.incoming?.socket.remoteAddress ?? '').replace(/^::ffff:/, ''))
      if (!nearby || c.req.header('x-forwarded-for') !== undefined || c.req.header('forwarded') !== undefined) {
        const claims = await engine.authenticate(tokenOf(c))
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
