import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { LoomError, errorBody, statusOf } from '../contract/errors.ts'
import { errorAnswer } from './http-answer.ts'
import { requestIdFrom } from './request-id.ts'

export interface Listening {
  /** Address to print and to write down, such as `http://127.0.0.1:7777`. */
  readonly url: string
  readonly port: number
  /** Stops taking connections, ends event streams, lets running calls end, and cuts what is left after two seconds. */
  close(): Promise<void>
}

export interface ListenOptions {
  readonly host: string
  /** 0 takes a free one. */
  readonly port: number
  /** Time a request may take to arrive, headers and body. Default 120,000. */
  readonly requestTimeoutMs?: number
  /** Time its headers may take. Default 10,000. */
  readonly headersTimeoutMs?: number
}

/** An app of Hono, or anything else shaped like one. */
export interface FetchApp {
  fetch(request: Request, bindings: object): Response | Promise<Response>
}

const CLOSE_GRACE_MS = 2000
/** Sockets at once. Under the usual limit of 1,024 open files, which the database shares. */
const MOST_CONNECTIONS = 512

/** What the parser refused, as one of our errors; the request never reached a route. */
function refusalOf(error: NodeJS.ErrnoException): LoomError {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new LoomError('CANCELLED', 'The request did not arrive in time. Send it again.')
  if (error.code === 'HPE_HEADER_OVERFLOW' || error.code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new LoomError('PAYLOAD_TOO_LARGE', 'The headers of the request are too large.')
  }
  return new LoomError('INVALID_JSON', 'The request is not valid HTTP.')
}

function rawAnswer(error: LoomError): string {
  const body = JSON.stringify(errorBody(error, requestIdFrom(undefined)))
  return [
    `HTTP/1.1 ${statusOf(error.code)} ${error.code}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    '',
    body,
  ].join('\r\n')
}

/**
 * Serves an app on one address.
 * @throws LoomError UNAVAILABLE naming the port when it is taken or may not be used.
 */
export async function listen(app: FetchApp, options: ListenOptions): Promise<Listening> {
  const running = new Map<Socket, ServerResponse>()
  const closing = new AbortController()
  const answer = getRequestListener((request, env) => app.fetch(request, { ...env, closing: closing.signal }), {
    overrideGlobalObjects: false,
    // A request without Host reaches the app, which answers it like a foreign one.
    hostname: 'no-host.invalid',
    // What is no request at all (a broken URL, no Host) never reaches the app.
    errorHandler: (error) =>
      errorAnswer(new LoomError('INVALID_JSON', 'The request is not valid HTTP.', {}, { cause: error }), requestIdFrom(undefined)),
  })
  const server = createServer(
    {
      requestTimeout: options.requestTimeoutMs ?? 120_000,
      headersTimeout: options.headersTimeoutMs ?? 10_000,
      connectionsCheckingInterval: Math.min(2000, options.headersTimeoutMs ?? 2000),
      keepAliveTimeout: 30_000,
      requireHostHeader: false,
    },
    (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const { socket } = incoming
      running.set(socket, outgoing)
      outgoing.once('close', () => {
        if (running.get(socket) === outgoing) running.delete(socket)
        if (closing.signal.aborted) setImmediate(() => server.closeIdleConnections())
      })
      void answer(incoming, outgoing)
    },
  )
  server.maxConnections = MOST_CONNECTIONS
  server.on('clientError', (error: NodeJS.ErrnoException, duplex) => {
    const socket = duplex as Socket
    if (!socket.writable || error.code === 'ECONNRESET' || running.get(socket)?.headersSent) socket.destroy()
    else socket.end(rawAnswer(refusalOf(error)), () => socket.destroySoon())
  })

  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(portRefused(error, options)))
    server.listen(options.port, options.host, resolve)
  })
  const { port } = server.address() as AddressInfo
  const named = options.host.includes(':') ? `[${options.host}]` : options.host

  return {
    url: `http://${named}:${port}`,
    port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      closing.abort()
      const cut = setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS)
      server.closeIdleConnections()
      await closed
      clearTimeout(cut)
    },
  }
}

function portRefused(error: NodeJS.ErrnoException, { host, port }: ListenOptions): LoomError {
  const why =
    error.code === 'EADDRINUSE'
      ? `Port ${port} is in use by another program. Stop it, or set LOOM_PORT (server: LOOM_SERVER_PORT) to another port; 0 takes a free one.`
      : `Cannot listen on ${host} port ${port}: ${error.code ?? error.message}.`
  return new LoomError('UNAVAILABLE', why, { port }, { cause: error })
}
