import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { isLoomError, LoomError } from '../../shared/contract/errors.ts'
import type { Caller } from '../../shared/engine/caller.ts'
import { relayCall } from '../../shared/transport/mcp-relay.ts'
import { engineCall, type McpCall } from '../../shared/transport/mcp.ts'
import type { Config } from '../config.ts'
import { busyFolder, findRunning } from '../endpoint.ts'
import type { DesktopHost } from '../host.ts'

/** The way of one stdio client's calls to an engine, found anew when the one it led to has gone. */
export interface EngineRoad {
  readonly call: McpCall
  /** Closes the engine if it is our own. */
  close(): Promise<void>
}

interface Road {
  readonly call: McpCall
  readonly host: DesktopHost | null
  /** The client has closed its end. */
  end(): Promise<void>
}

/** How long a call waits for an app that starts or stops, in milliseconds. */
const WAIT_MS = 20_000

/**
 * Starts looking for an engine at once: a running one, else one of our own, which then serves HTTP too, so that other
 * clients of the folder find it.
 */
export function createEngineRoad(config: Config, fills: Caller['fills'], logger: Logger): EngineRoad {
  const { baseUrl, apiKey } = config.client
  const token = apiKey ?? undefined
  const session = randomUUID()
  let current: Promise<Road> | null = null
  let closed = false

  const relay = (url: string): Road => {
    const call = relayCall({ baseUrl: url, fills, ...(token === undefined ? {} : { token }) })
    return { call, host: null, end: call.end }
  }
  const find = async (): Promise<Road> => {
    if (baseUrl !== null) return relay(baseUrl)
    for (;;) {
      const running = await findRunning(config.desktop.home, WAIT_MS)
      if (running.state === 'running') return relay(running.endpoint.url)
      if (running.state === 'busy') throw busyFolder(config.desktop.home, running.pid)
      try {
        // Loaded only now: a client of a running app needs neither database nor models.
        const { createDesktopHost } = await import('../host.ts')
        const host = await createDesktopHost(config.desktop, { logger, portMayMove: true, apps: config.apps })
        return { call: engineCall(host.engine, fills, token, undefined, session), host, end: async () => host.engine.endSession?.(session) }
      } catch (error) {
        if (!isLoomError(error) || error.fields['owner_pid'] === undefined) throw error
      }
    }
  }
  const road = (): Promise<Road> => {
    if (closed) return Promise.reject(new LoomError('UNAVAILABLE', 'This connection is closing.'))
    if (current) return current
    const found = find()
    current = found
    // The next call looks again.
    found.catch(() => (current = null))
    return found
  }

  road().catch((error: unknown) => logger.warn({ err: error }, 'no engine yet'))
  return {
    async call(op, input, given) {
      const first = await road()
      if (first.host) return await first.call(op, input, given)
      // One key over both tries: a write that the gone app had committed is not done twice.
      const meta = { ...given, idempotencyKey: given.idempotencyKey ?? randomUUID() }
      try {
        return await first.call(op, input, meta)
      } catch (error) {
        if (!isLoomError(error) || error.code !== 'UNAVAILABLE' || given.signal.aborted) throw error
        current = null
        return await (await road()).call(op, input, meta)
      }
    },
    async close() {
      closed = true
      const last = await current?.catch(() => null)
      await last?.end().catch((error: unknown) => logger.warn({ err: error }, 'the session was not ended'))
      await last?.host?.close()
    },
  }
}
