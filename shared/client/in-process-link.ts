import { errorBody } from '../contract/errors.ts'
import type { Engine } from '../engine/api.ts'
import type { Caller } from '../engine/caller.ts'
import type { Link } from './link.ts'

/** The road inside one process. Requests get the caller's id with a running number. */
export function inProcessLink(engine: Engine, caller: Caller): Link {
  let count = 0
  return {
    async call(op, input, meta) {
      const requestId = `${caller.requestId}-${++count}`
      try {
        return { ok: true, value: await engine.run(op, input, { ...caller, ...meta, requestId }) }
      } catch (error) {
        return { ok: false, error: errorBody(error, requestId).detail }
      }
    },
    listen: (listener) => engine.on(listener),
  }
}
