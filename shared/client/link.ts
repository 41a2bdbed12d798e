import type { ErrorDetail } from '../contract/errors.ts'
import type { EngineEvent } from '../contract/events.ts'

export interface CallMeta {
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Told what comes of the call while it is answered, where the operation tells. */
  readonly progress?: (told: Record<string, unknown>) => void
}

export type Reply =
  | { readonly ok: true; readonly value: Record<string, unknown> }
  | { readonly ok: false; readonly error: ErrorDetail; /** HTTP status where one came. */ readonly status?: number }

/**
 * What a listener is told. `stream.opened` is of the link itself, where one has to be opened: from here on every change is
 * told, and what changed before may not have been. What was read before is to be read again.
 */
export type LinkEvent = EngineEvent | { readonly type: 'stream.opened' }

/** A road to an engine. A link sends once; the client decides on trying again. */
export interface Link {
  /** Rejects only where no answer came at all (the connection failed), or the caller's signal aborted. */
  call(op: string, input: unknown, meta: CallMeta): Promise<Reply>
  /** Follows what changes, until the returned function is called. */
  listen(listener: (event: LinkEvent) => void): () => void
}
