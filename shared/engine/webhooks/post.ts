import type { LookupAddress } from 'node:dns'
import { request as httpRequest, type Agent } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { LookupFunction } from 'node:net'
import { hostOf } from './addresses.ts'

export interface Post {
  readonly url: URL
  /** Where to connect, and nowhere else: the name is not looked up again. */
  readonly addresses: readonly LookupAddress[]
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly agent: Agent | false
  readonly ca: string | undefined
  readonly signal: AbortSignal
}

const pinnedTo =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [first] = addresses
    if (options.all === true) done(null, [...addresses])
    else if (first) done(null, first.address, first.family)
  }

/**
 * Sends one POST and answers the status line. Follows no redirect, and reads nothing of the body.
 * @throws what the connection throws; ABORTED when `signal` ends it
 */
export async function post(sent: Post): Promise<number> {
  sent.signal.throwIfAborted()
  try {
    return await postOnce(sent)
  } catch (error) {
    // The receiver closed the kept connection while the POST was on its way.
    if (error instanceof StaleConnection) return postOnce({ ...sent, agent: false })
    throw error
  }
}

class StaleConnection extends Error {}

function postOnce({ url, addresses, headers, body, agent, ca, signal }: Post): Promise<number> {
  const bytes = Buffer.from(body, 'utf8')
  const isTls = url.protocol === 'https:'
  const options = {
    method: 'POST',
    host: hostOf(url),
    port: url.port || (isTls ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: { ...headers, host: url.host, 'content-length': bytes.byteLength },
    lookup: pinnedTo(addresses),
    autoSelectFamily: true,
    agent,
    ...(ca !== undefined && { ca }),
  }
  return new Promise((resolve, reject) => {
    const request = (isTls ? httpsRequest : httpRequest)(options, (response) => {
      resolve(response.statusCode ?? 0)
      const hasBody = response.statusCode !== 204 && response.headers['content-length'] !== '0'
      // A connection whose answer has no body can take the next event; of any other the body stays unread.
      if (hasBody) response.destroy()
      else response.resume()
    })
    request.on('error', (error: NodeJS.ErrnoException) =>
      reject(request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE') ? new StaleConnection() : error),
    )
    // By hand: the signal option of a request costs more than the request.
    const stop = (): void => void request.destroy(Object.assign(new Error('The POST was ended.'), { code: 'ABORTED' }))
    signal.addEventListener('abort', stop)
    request.on('close', () => signal.removeEventListener('abort', stop))
    request.end(bytes)
  })
}
