import { errorBody, type ErrorDetail } from '../contract/errors.ts'
import { isHostCall } from '../contract/host-calls.ts'
import type { Engine } from '../engine/api.ts'
import { localClaims, type Caller } from '../engine/caller.ts'
import { INSTALL } from '../engine/identity.ts'
import type { HostCalls } from './host-calls.ts'
import { logFault } from './http-answer.ts'
import { idempotencyKey } from './idempotency-key.ts'
import type { Log } from './log.ts'
import { requestIdFrom } from './request-id.ts'

/** What a window sends beside an operation and its fields. */
export interface IpcMeta {
  readonly idempotency_key?: string
}

/** An answer as a value: Electron keeps only the message of an error that crosses it. */
export type IpcReply = { readonly ok: true; readonly value: Record<string, unknown> } | { readonly ok: false; readonly error: ErrorDetail }

/**
 * Answers the calls of the host's own windows, as the person of the install. Never rejects. Arguments and answers
 * pass structured cloning unharmed, bigint included.
 */
export function createIpcEndpoint(
  engine: Engine,
  log: Log,
  hostCalls?: HostCalls,
): (op: string, input: unknown, meta?: IpcMeta) => Promise<IpcReply> {
  return async (op, input, meta) => {
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
      return { ok: true, value: await engine.run(op, input, caller) }
    } catch (error) {
      logFault(log, error, requestId)
      return { ok: false, error: errorBody(error, requestId).detail }
    }
  }
}
