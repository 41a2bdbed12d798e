import { END_CALL, type CallTold } from '../contract/window-calls.ts'
import type { CallMeta, Link, LinkEvent, Reply } from './link.ts'

/** What a preload script gives its window: one way to call, one to be told. */
export interface IpcBridge {
  call(op: string, input: unknown, meta: { readonly idempotency_key?: string; readonly call?: string }): Promise<Reply>
  /** Calls `listener` for every event, until the returned function is called. */
  listen(listener: (event: LinkEvent | CallTold) => void): () => void
}

/** The road of the host's own window. Structured cloning carries bigint, so nothing is lost. */
export function ipcLink(bridge: IpcBridge): Link {
  return {
    async call(op, input, { idempotencyKey, signal, progress }) {
      signal?.throwIfAborted()
      const call = signal || progress ? crypto.randomUUID() : undefined
      const sent = bridge.call(op, input, {
        ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
        ...(call !== undefined && { call }),
      })
      return call === undefined ? await sent : await followed(bridge, call, sent, { signal, progress })
    },
    listen: (listener) => bridge.listen((event) => event.type !== 'call.told' && listener(event)),
  }
}

/** A call with what is told of it, until its answer comes or its caller ends it. */
async function followed(
  bridge: IpcBridge,
  call: string,
  sent: Promise<Reply>,
  { signal, progress }: { readonly signal: CallMeta['signal'] | undefined; readonly progress: CallMeta['progress'] | undefined },
): Promise<Reply> {
  const stopListening = progress && bridge.listen((event) => event.type === 'call.told' && event.call === call && progress(event.told))
  let end = (): void => {}
  const ended = new Promise<never>((_, reject) => {
    end = () => {
      void bridge.call(END_CALL, { call }, {})
      reject(signal?.reason)
    }
  })
  signal?.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([sent, ended])
  } finally {
    signal?.removeEventListener('abort', end)
    stopListening?.()
  }
}
