import type { Link, LinkEvent, Reply } from './link.ts'

/** What a preload script gives its window: one way to call, one to be told. */
export interface IpcBridge {
  call(op: string, input: unknown, meta: { readonly idempotency_key?: string }): Promise<Reply>
  /** Calls `listener` for every event, until the returned function is called. */
  listen(listener: (event: LinkEvent) => void): () => void
}

/** The road of the host's own window. Structured cloning carries bigint, so nothing is lost. */
export function ipcLink(bridge: IpcBridge): Link {
  return {
    call: (op, input, meta) => bridge.call(op, input, meta.idempotencyKey === undefined ? {} : { idempotency_key: meta.idempotencyKey }),
    listen: (listener) => bridge.listen(listener),
  }
}
