import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A front that passes calls on to a server, but answers every push as a server does that is too busy for any change. */
export interface BusyFront extends AsyncDisposable {
  readonly url: string
  /** Pushes that it answered. */
  readonly pushes: number
}

const retryOf = (change_id: string): object => ({
  change_id,
  outcome: 'retry',
  replayed: false,
  code: 'UNAVAILABLE',
  message: 'The store is busy.',
  conflict_verdict: '',
  status: '',
  merged_into_key: '',
  peers: [],
  memory_id: '',
  version: null,
  row: null,
  current_sha256: null,
  retry_after_s: null,
})

const PASSED = new Set(['authorization', 'content-type', 'accept'])
const OF_THE_LINE = /^(content-(length|encoding)|transfer-encoding|connection|keep-alive)$/

/** @param target address of the server */
export async function busyFront(target: string): Promise<BusyFront> {
  let pushes = 0
  const answer = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url)
    if (pathname !== '/v1/sync.push') {
      const { method, headers } = request
      return fetch(`${target}${pathname}${search}`, { method, headers, ...(method === 'POST' && { body: await request.text() }) })
    }
    pushes++
    const { changes } = (await request.json()) as { changes: readonly { change_id: string }[] }
    const results = changes.map((change) => retryOf(change.change_id))
    return Response.json({ server_time: new Date().toISOString(), erasures_first: false, erasure_seq: 0, results })
  }
  const serve = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const parts: Buffer[] = []
    for await (const part of incoming) parts.push(part as Buffer)
    const { method = 'GET', url = '/', headers } = incoming
    const passed = Object.entries(headers).filter(([name]) => PASSED.has(name))
    const body = parts.length > 0 ? { body: Buffer.concat(parts) } : {}
    const response = await answer(new Request(`http://front${url}`, { method, headers: passed as [string, string][], ...body }))
    const text = await response.text()
    const told = [...response.headers].filter(([name]) => !OF_THE_LINE.test(name))
    outgoing.writeHead(response.status, Object.fromEntries(told)).end(text)
  }
  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get pushes() {
      return pushes
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
