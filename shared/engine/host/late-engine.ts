import type { EngineEvent } from '../../contract/events.ts'
import { LoomError } from '../../contract/errors.ts'
import { LOOM_VERSION } from '../../contract/version.ts'
import { JUDGE_VERSION } from '../../domain/judge/version.ts'
import type { Engine } from '../api.ts'
import { shuttingDown } from '../shutting-down.ts'

/** An engine that stands in front of one still being opened, so that its address answers from the first moment. */
export interface LateEngine extends Engine {
  /** From now on calls go to this engine; to another one after `pause`. */
  open(engine: Engine): void
  /** From now on calls are refused, until an engine is opened again. @param reason what a caller is told */
  pause(reason: string): void
  /** From now on calls are refused: the host is shutting down. */
  stop(): void
}

/** Before `open` and after `stop` every call answers 503 UNAVAILABLE, and health says why. */
export function createLateEngine(options: Pick<Engine, 'mode' | 'host' | 'limits'> & { readonly embeddingModel: string }): LateEngine {
  let engine: Engine | null = null
  let stopping = false
  let why = 'Loom is starting. Try again in a second.'
  let leave = (): void => {}
  const listeners = new Set<(event: EngineEvent) => void>()

  const opened = (): Engine => {
    if (engine && !stopping) return engine
    throw stopping ? shuttingDown() : new LoomError('UNAVAILABLE', why, { retry_after_s: 1 })
  }
  const close = async () => {
    await engine?.close()
  }

  return {
    mode: options.mode,
    host: options.host,
    limits: options.limits,
    async run(op, input, caller) {
      return await opened().run(op, input, caller)
    },
    async authenticate(token, client, address) {
      return await opened().authenticate(token, client, address)
    },
    draw: (rate, caller) => opened().draw(rate, caller),
    async endSession(session) {
      // One that is not ended lapses by itself.
      if (!stopping) await engine?.endSession?.(session)
    },
    health() {
      if (engine) return stopping ? { ...engine.health(), status: 'stopping' } : engine.health()
      const { embeddingModel } = options
      const status = stopping ? 'stopping' : 'starting'
      return { status, version: LOOM_VERSION, judge_version: JUDGE_VERSION, embedding_model: embeddingModel, degraded: [] }
    },
    on(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    open(real) {
      engine = real
      leave = real.on((event) => {
        for (const listener of listeners) listener(event)
      })
    },
    pause(reason) {
      leave()
      engine = null
      why = reason
    },
    stop() {
      stopping = true
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
