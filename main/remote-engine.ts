import { errorBody, LoomError } from '../shared/contract/errors.ts'
import { httpLink } from '../shared/client/http-link.ts'
import type { LinkEvent } from '../shared/client/link.ts'
import { contractOf, isOpName } from '../shared/contract/registry.ts'
import { END_CALL, endedCall, type CallTold } from '../shared/contract/window-calls.ts'
import type { IpcReply } from '../shared/transport/ipc.ts'
import { createRunningCalls } from '../shared/transport/running-calls.ts'
import { answers } from './endpoint.ts'
import type { WindowCall } from './engine-messages.ts'

/** The engine of another process, at its loopback address, for a window that has none of its own. */
export interface RemoteEngine {
  call(call: WindowCall): Promise<IpcReply>
  close(): void
}

const LOOK_EVERY_MS = 2000

/**
 * Follows the events of a running host and passes calls on to it.
 * @param token for a host in multi mode
 * @param onEvent gets what changed there
 * @param onGone is called once, when the host no longer answers
 */
export function followHost(
  url: string,
  token: string | null,
  onEvent: (event: LinkEvent | CallTold) => void,
  onGone: () => void,
): RemoteEngine {
  // The window's calls, as those of the page that the host itself serves.
  const asWindow: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers)
    headers.set('origin', url)
    return fetch(input, { ...init, headers })
  }
  const link = httpLink({ baseUrl: url, fetch: asWindow, ...(token === null ? {} : { token }) })
  const stopListening = link.listen(onEvent)
  const calls = createRunningCalls()
  let open = true
  const close = () => {
    open = false
    clearInterval(look)
    stopListening()
  }
  const leave = () => {
    if (!open) return
    close()
    onGone()
  }
  const look = setInterval(() => void answers(url).then((here) => here || leave()), LOOK_EVERY_MS)
  return {
    async call({ op, input, meta }) {
      if (op === END_CALL) {
        calls.end(endedCall(input))
        return { ok: true, value: {} }
      }
      const { call: id, idempotency_key: key } = meta
      const tells = id !== undefined && isOpName(op) && contractOf(op).progress !== undefined
      let wasEnded = false
      const send = (signal?: AbortSignal): Promise<IpcReply> => {
        signal?.addEventListener('abort', () => (wasEnded = true))
        return link.call(op, input, {
          ...(key !== undefined && { idempotencyKey: key }),
          ...(signal && { signal }),
          ...(tells && { progress: (told) => onEvent({ type: 'call.told', call: id, told }) }),
        })
      }
      try {
        return await calls.run(id, send)
      } catch (cause) {
        if (wasEnded) return { ok: false, error: errorBody(new LoomError('CANCELLED', 'The call was ended by its window.'), '').detail }
        leave()
        const error = new LoomError(
          'UNAVAILABLE',
          'The Loom that held your memories has gone. Try again in a moment.',
          { retry_after_s: 1 },
          { cause },
        )
        return { ok: false, error: errorBody(error, '').detail }
      }
    },
    close,
  }
}
