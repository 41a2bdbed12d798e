import { createServer as createHttpServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'

/** One POST as a receiver got it. */
export interface Received {
  readonly path: string
  readonly method: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Wall-clock milliseconds. */
  readonly at: number
}

export type Answer = (received: Received, response: ServerResponse) => void | Promise<void>

/** A real receiver on loopback. */
export interface Receiver {
  readonly port: number
  readonly received: Received[]
  /** Most POSTs it had at one moment, in all and of one path. */
  readonly peak: { all: number; ofPath: number }
  /** How it answers; by default 204. */
  answer: Answer
  /** Bodies as JSON, of one path if named. */
  events(path?: string): Record<string, unknown>[]
  close(): Promise<void>
}

const text = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

export const status =
  (code: number): ((received: Received, response: ServerResponse) => void) =>
  (_received, response) =>
    void response.writeHead(code, { 'content-length': '0' }).end()

/** Opens a receiver; over TLS with a key and a certificate. */
export async function openReceiver(tls?: { readonly key: string; readonly cert: string }, port = 0): Promise<Receiver> {
  const received: Received[] = []
  const open = new Map<string, number>()
  const peak = { all: 0, ofPath: 0 }
  const receiver: Pick<Receiver, 'received' | 'peak' | 'answer'> = { received, peak, answer: status(204) }
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url ?? ''
    open.set(path, (open.get(path) ?? 0) + 1)
    peak.all = Math.max(
      peak.all,
      [...open.values()].reduce((sum, count) => sum + count, 0),
    )
    peak.ofPath = Math.max(peak.ofPath, open.get(path) ?? 0)
    const leave = (): void => void open.set(path, (open.get(path) ?? 1) - 1)
    response.once('close', leave)
    const got = { path, method: request.method ?? '', headers: request.headers, body: await text(request), at: Date.now() }
    received.push(got)
    await receiver.answer(got, response)
  }
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => void take(request, response).catch(() => {})
  const server = tls ? createTlsServer(tls, onRequest) : createHttpServer(onRequest)
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return Object.assign(receiver, {
    port: (server.address() as AddressInfo).port,
    events: (path?: string) =>
      received.filter((one) => path === undefined || one.path === path).map((one) => JSON.parse(one.body) as Record<string, unknown>),
    close: () =>
      new Promise<void>((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  })
}
