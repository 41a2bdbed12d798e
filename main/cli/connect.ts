import { httpLink } from '../../shared/client/http-link.ts'
import type { Link } from '../../shared/client/link.ts'
import { isLoomError } from '../../shared/contract/errors.ts'
import { LOOM_VERSION } from '../../shared/contract/version.ts'
import type { Config } from '../config.ts'
import { busyFolder, findRunning } from '../endpoint.ts'

/** A road to an engine, and how to leave it. */
export interface Connection extends AsyncDisposable {
  readonly link: Link
}

/** How long a command waits for an app that starts, or for another command that has the folder, in milliseconds. */
const WAIT_MS = 20_000

const asCommandLine: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers)
  headers.set('user-agent', `loom-cli/${LOOM_VERSION}`)
  return fetch(input, { ...init, headers })
}

/**
 * The server that LOOM_BASE_URL names; else the app that runs on LOOM_HOME; else an engine in this process, which
 * holds the folder until the connection is left.
 * @throws LoomError UNAVAILABLE naming the process that has the folder and does not answer.
 */
export async function connect({ desktop, client }: Config): Promise<Connection> {
  const token = client.apiKey === null ? {} : { token: client.apiKey }
  const over = (baseUrl: string): Connection => ({
    link: httpLink({ baseUrl, ...token, fetch: asCommandLine }),
    [Symbol.asyncDispose]: async () => {},
  })
  if (client.baseUrl !== null) return over(client.baseUrl)

  for (;;) {
    const running = await findRunning(desktop.home, WAIT_MS)
    if (running.state === 'running') return over(running.endpoint.url)
    if (running.state === 'busy') throw busyFolder(desktop.home, running.pid)
    try {
      // Loaded only now: database and models cost more than the whole command otherwise.
      const { openOwnEngine } = await import('./own-engine.ts')
      return await openOwnEngine(desktop, client.apiKey)
    } catch (error) {
      // Another process took the folder between the look and the lock.
      if (!isLoomError(error) || error.fields['owner_pid'] === undefined) throw error
    }
  }
}
