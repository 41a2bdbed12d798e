import type { EngineEvent } from '../contract/events.ts'
import { LoomError } from '../contract/errors.ts'
import type { Claims } from '../contract/ops/engine/info.ts'
import type { Engine } from '../engine/api.ts'
import { INSTALL_ORG } from '../engine/caller.ts'

const HEARTBEAT_MS = 15_000
/** A reader that lets this many events pile up is cut off; it asks anew when it comes back. */
const LONGEST_QUEUE = 1000
/** How long a token that was read counts as valid on an open stream. */
const RECHECK_MS = 1000

function concerns(claims: Claims, event: EngineEvent): boolean {
  if (event.type === 'engine.state') return true
  // The person of the install also follows what a team's server sends to this machine.
  if (claims.token_id === '' && claims.org === INSTALL_ORG) return true
  if (event.type === 'settings.changed' || event.type === 'backups.changed') return claims.grants['*'] === 'platform_admin'
  if (claims.org !== '*' && claims.org !== event.org) return false
  return Object.hasOwn(claims.grants, '*') || Object.hasOwn(claims.grants, event.namespace)
}

/** Passes events on while the reader's token holds, which is read again before what comes a second later or more. */
function whileValid(recheck: () => Promise<unknown>, pass: (event: EngineEvent) => void, end: () => void): (event: EngineEvent) => void {
  let readAt = performance.now()
  let waiting: EngineEvent[] | null = null
  const look = async (): Promise<void> => {
    try {
      await recheck()
    } catch {
      return end()
    }
    readAt = performance.now()
    const passed = waiting ?? []
    waiting = null
    for (const event of passed) pass(event)
  }
  return (event) => {
    if (waiting) return void waiting.push(event)
    if (performance.now() - readAt < RECHECK_MS) return pass(event)
    waiting = [event]
    void look()
  }
}

/**
 * Server-Sent Events of what changed, as the caller may know it. Ids and keys, never a value. Ends when the token is valid
 * no more.
 * @param recheck reads the token again; rejects when it is refused.
 * @throws LoomError FORBIDDEN for a token bound to one user or session, whose rows an event cannot tell apart.
 */
export function eventStream(engine: Engine, claims: Claims, signal: AbortSignal, recheck: () => Promise<unknown>): Response {
  if (claims.user_id !== '' || claims.own_session) {
    throw new LoomError('FORBIDDEN', 'A token bound to one user or session cannot follow events. Use a token without that bound.')
  }
  const encoder = new TextEncoder()
  let stop = (): void => undefined
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (frame: string): void => {
          if ((controller.desiredSize ?? 0) <= 0) return end()
          controller.enqueue(encoder.encode(frame))
        }
        const pass = whileValid(recheck, (event) => send(`data: ${JSON.stringify(event)}\n\n`), end)
        const leave = engine.on((event) => {
          if (concerns(claims, event)) pass(event)
        })
        const beat = setInterval(() => send(': still here\n\n'), HEARTBEAT_MS)
        stop = () => {
          leave()
          clearInterval(beat)
          signal.removeEventListener('abort', end)
        }
        function end(): void {
          stop()
          try {
            controller.close()
          } catch {
            // The reader cancelled first.
          }
        }
        signal.addEventListener('abort', end)
        send('retry: 1000\n\n')
      },
      cancel() {
        stop()
      },
    },
    { highWaterMark: LONGEST_QUEUE },
  )
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' },
  })
}
