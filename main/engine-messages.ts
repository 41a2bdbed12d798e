import type { ErrorDetail } from '../shared/contract/errors.ts'
import type { EngineEvent } from '../shared/contract/events.ts'
import type { RecoveryDone, RecoveryView } from '../shared/contract/recovery.ts'
import type { CallTold } from '../shared/contract/window-calls.ts'
import type { IpcMeta, IpcReply } from '../shared/transport/ipc.ts'

/** One call of the window. Plain data: crosses by structured clone, bigint included. */
export interface WindowCall {
  readonly op: string
  readonly input: unknown
  readonly meta: IpcMeta
}

/** From the main process to the engine process. */
export type ToEngine =
  | { readonly type: 'call'; readonly id: number; readonly call: WindowCall }
  | { readonly type: 'close' }
  /** What the system's key store answered; null where it could not. */
  | { readonly type: 'key'; readonly id: number; readonly text: string | null }

/** From the engine process to the main process. */
export type FromEngine =
  | { readonly type: 'ready'; readonly url: string; /** Minted just now, to be shown once. */ readonly firstToken: string | null }
  /** With `recovery`, it will fail again until the person decides what becomes of the database. */
  | { readonly type: 'failed'; readonly error: ErrorDetail; readonly recovery: RecoveryView | null }
  | { readonly type: 'reply'; readonly id: number; readonly reply: IpcReply }
  | { readonly type: 'event'; readonly event: EngineEvent | CallTold }
  /** Only the app's own process reaches the system's key store. */
  | { readonly type: 'key'; readonly id: number; readonly ask: 'seal' | 'unseal'; readonly text: string }

/** From a recovery process to the main process: its one message. */
export type FromRecovery = { readonly ok: true; readonly value: RecoveryDone } | { readonly ok: false; readonly error: ErrorDetail }
