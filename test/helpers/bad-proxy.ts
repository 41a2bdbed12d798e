import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What becomes of an answer: the line breaks in its middle, its body ends half way, or the proxy answers in its place. */
export type Fault = 'breaks' | 'half' | 'bad gateway' | 'bad gateway after'

/** A proxy in front of a server that spoils answers when it is told to. */
export interface BadProxy extends AsyncDisposable {
  readonly url: string
  /** Spoils the next answers to requests whose path and query are such. */
  spoil(path: RegExp, fault: Fault, times?: number): void
  heal(): void
  /** Answers spoiled so far. */
  readonly spoiled: number
}

const GATEWAY = '<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>'

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

/** @param target address of the server, such as `http://127.0.0.1:7788` */
export async function badProxy(target: string): Promise<BadProxy> {
  const { hostname, port } = new URL(target)
  const agent = new Agent({ keepAlive: false })
  let plan: { path: RegExp; fault: Fault; left: number } | null = null
  let spoiled = 0

  const ask = (incoming: IncomingMessage, body: Buffer): Promise<{ head: IncomingMessage; body: Buffer }> =>
    new Promise((resolve, reject) => {
      const { url: path, method, headers } = incoming
      const far = request({ agent, hostname, port, path, method, headers }, (head) => {
        bodyOf(head).then((text) => resolve({ head, body: text }), reject)
      })
      far.on('error', reject)
      // A follower that goes ends its request.
      const stop = (): void => void far.destroy()
      incoming.socket.once('close', stop)
      far.once('close', () => incoming.socket.off('close', stop))
      far.end(body)
    })
  const gateway = (answer: ServerResponse): void => {
    answer.writeHead(502, { 'content-type': 'text/html' })
    answer.end(GATEWAY)
  }
  const serve = async (incoming: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const said = await bodyOf(incoming)
    const isDue = (): boolean => plan !== null && plan.left > 0 && plan.path.test(incoming.url ?? '')
    if (plan?.fault === 'bad gateway' && isDue()) {
      plan.left--
      spoiled++
      gateway(answer)
      return
    }
    const { head, body } = await ask(incoming, said)
    const headers = { ...head.headers, 'content-length': String(body.length) }
    delete (headers as Record<string, unknown>)['transfer-encoding']
    // What has no half is let through.
    if (plan === null || !isDue() || body.length < 16) {
      answer.writeHead(head.statusCode ?? 502, headers)
      answer.end(body)
      return
    }
    plan.left--
    spoiled++
    const half = body.subarray(0, Math.floor(body.length / 2))
    if (plan.fault === 'bad gateway after') gateway(answer)
    else if (plan.fault === 'half') {
      answer.writeHead(head.statusCode ?? 502, { ...headers, 'content-length': String(half.length) })
      answer.end(half)
    } else {
      answer.writeHead(head.statusCode ?? 502, headers)
      answer.write(half, () => setTimeout(() => answer.destroy(), 20))
    }
  }
  const server = createServer((incoming, answer) => {
    serve(incoming, answer).catch(() => answer.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spoil: (path, fault, times = 1) => void (plan = { path, fault, left: times }),
    heal: () => void (plan = null),
    get spoiled() {
      return spoiled
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
