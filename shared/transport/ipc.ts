import { errorBody, type ErrorDetail } from '../contract/errors.ts'
import { isHostCall } from '../contract/host-calls.ts'
import { contractOf, isOpName } from '../contract/registry.ts'
import { END_CALL, endedCall, type CallTold } from '../contract/window-calls.ts'
import type { Engine } from '../engine/api.ts'
import { localClaims, type Caller } from '../engine/caller.ts'
import { INSTALL } from '../engine/identity.ts'
import type { HostCalls } from './host-calls.ts'
import { logFault } from './http-answer.ts'
import { idempotencyKey } from './idempotency-key.ts'
import type { Log } from './log.ts'
import { requestIdFrom } from './request-id.ts'
import { createRunningCalls } from './running-calls.ts'

/** What a window sends beside an operation and its fields. */
export interface IpcMeta {
  readonly idempotency_key?: string
  /** The window's own name for this call, by which it is told of and ended. */
  readonly call?: string
}

/** An answer as a value: Electron keeps only the message of an error that crosses it. */
export type IpcReply = { readonly ok: true; readonly value: Record<string, unknown> } | { readonly ok: false; readonly error: ErrorDetail }

/**
 * Answers the calls of the host's own windows, as the person of the install. Never rejects. Arguments and answers
 * pass structured cloning unharmed, bigint included.
 * @param tell takes what comes of a call that has a name while it works
 */
export function createIpcEndpoint(
  engine: Engine,
  log: Log,
  hostCalls?: HostCalls,
  tell?: (told: CallTold) => void,
): (op: string, input: unknown, meta?: IpcMeta) => Promise<IpcReply> {
  const calls = createRunningCalls()
  return async (op, input, meta) => {
    if (op === END_CALL) {
      calls.end(endedCall(input))
      return { ok: true, value: {} }
    }
    const id = meta?.call
    const tells = id !== undefined && tell !== undefined && isOpName(op) && contractOf(op).progress !== undefined
    const requestId = requestIdFrom(undefined)
    try {
      if (hostCalls !== undefined && isHostCall(op)) return { ok: true, value: await hostCalls.run(op, input) }
      const caller: Caller = {
        // The window is the person's own in multi mode too: who can open it holds the data folder.
        claims: localClaims('human', 'local'),
        transport: 'ipc',
        fills: INSTALL,
        local: true,
        requestId,
        ...idempotencyKey(meta?.idempotency_key, 'idempotency_key'),
      }
      const run = (signal?: AbortSignal): Promise<Record<string, unknown>> =>
        engine.run(op, input, {
          ...caller,
          ...(signal && { signal }),
          ...(tells && { progress: (told) => tell({ type: 'call.told', call: id, told }) }),
        })
      return { ok: true, value: await calls.run(id, run) }
    } catch (error) {
      logFault(log, error, requestId)
      return { ok: false, error: errorBody(error, requestId).detail }
    }
  }
}
