import { setTimeout as sleep } from 'node:timers/promises'
import { Shape, ShapeStream, type Message, type ShapeStreamOptions } from '@electric-sql/client'
import { createShapes, type Shapes, type ShapesOptions } from '../../../shared/engine/shapes/shapes.ts'
import { watchTables } from '../../../shared/engine/shapes/triggers.ts'
import type { NewToken } from '../../../shared/engine/store/tokens.ts'
import type { Listening } from '../../../shared/transport/serve.ts'
import { NO_MODELS, openTestEngine, type TestEngine, type TestEngineOptions } from '../../helpers/engine.ts'
import { serveEngine } from '../../helpers/serve-engine.ts'
import { mint } from '../../sync-server/token-helpers.ts'

export interface ShapeServer {
  readonly loom: TestEngine
  readonly url: string
  readonly shapes: Shapes
  /** Mints a token of org `acme`. */
  token(claims: Partial<NewToken> & Pick<NewToken, 'grants'>): Promise<string>
  /** Calls an operation with a token; throws where it is refused. */
  call(token: string, op: string, input: object): Promise<Record<string, unknown>>
  /** One raw request for a shape. */
  ask(token: string, query: Record<string, string>, headers?: Record<string, string>, signal?: AbortSignal): Promise<Response>
  /** What the server logged as a fault. */
  readonly faults: unknown[]
  /** As after a restart of the server: the store stays, everything in memory is new. */
  restart(): Promise<void>
  close(): Promise<void>
}

/** A real server with its shapes, in this process. */
export async function openShapeServer(options: Partial<ShapesOptions> = {}, engineOptions: TestEngineOptions = {}): Promise<ShapeServer> {
  const loom = await openTestEngine({ host: 'server', mode: 'multi', models: NO_MODELS, ...engineOptions })
  await watchTables(loom.database)
  const faults: unknown[] = []
  const keep = (...said: unknown[]): void => void faults.push(said)
  const make = (): Shapes =>
    createShapes({ database: loom.database, log: { error: keep, warn: keep }, clock: Date.now, longPollMs: 2000, pollMs: 100, ...options })
  let shapes = make()
  loom.engine.on((event) => {
    if ('org' in event) shapes.changed(event.org)
  })
  let server: Listening = await serveEngine(loom.engine, { shapes: () => shapes })
  const { port } = server
  return {
    loom,
    url: `${server.url}/v1/shape`,
    faults,
    get shapes() {
      return shapes
    },
    token: async (claims) => (await mint(loom.database, claims)).token,
    async call(token, op, input) {
      const claims = await loom.engine.authenticate(token)
      return loom.engine.run(op, input, { claims, transport: 'inproc', fills: {}, local: false, requestId: 'test' })
    },
    ask: (token, query, headers = {}, signal) =>
      fetch(`${server.url}/v1/shape?${new URLSearchParams(query).toString()}`, {
        headers: { authorization: `Bearer ${token}`, ...headers },
        ...(signal && { signal }),
      }),
    async restart() {
      shapes.close()
      await server.close()
      shapes = make()
      server = await serveEngine(loom.engine, { shapes: () => shapes, port })
      // Connections that were kept alive are dead; finding that out is not what a test is about.
      for (let left = 4; left > 0; left--) await fetch(`${server.url}/v1/health`).catch(() => null)
    },
    async close() {
      shapes.close()
      await server.close()
      await loom.close()
    },
  }
}

export interface Following {
  readonly stream: ShapeStream
  readonly shape: Shape
  readonly messages: Message[]
  stop(): void
}

/** Follows a shape with the real client. */
export function follow(url: string, token: string, table: string, more: Partial<ShapeStreamOptions> = {}): Following {
  const ending = new AbortController()
  const messages: Message[] = []
  const stream = new ShapeStream({
    url,
    params: { table },
    headers: { authorization: `Bearer ${token}` },
    signal: ending.signal,
    onError: () => undefined,
    ...more,
  })
  stream.subscribe(
    (some) => void messages.push(...some),
    () => {},
  )
  return { stream, shape: new Shape(stream), messages, stop: () => ending.abort() }
}

/** Waits until something holds. */
export async function until(what: () => boolean | Promise<boolean>, ms = 8000): Promise<void> {
  for (const end = performance.now() + ms; !(await what()); await sleep(10))
    if (performance.now() > end) throw new Error(`never came true: ${String(what)}`)
}
