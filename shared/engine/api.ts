import type { RateClass } from '../contract/declare.ts'
import type { EngineEvent } from '../contract/events.ts'
import type { Claims } from '../contract/ops/engine/info.ts'
import type { Caller } from './caller.ts'

export interface Health {
  readonly status: 'ok' | 'starting' | 'degraded' | 'stopping'
  readonly version: string
  readonly judge_version: string
  readonly embedding_model: string
  readonly degraded: readonly string[]
}

/** The engine as transports and hosts see it. */
export interface Engine extends AsyncDisposable {
  readonly mode: 'single' | 'multi'
  readonly host: 'desktop' | 'server'
  readonly limits: { readonly maxRequestBytes: number }
  /**
   * Runs one operation through the pipeline: known arguments, validation, rights, preparation, one transaction,
   * after-commit work. Works on plain data: bigint for 64-bit integers, ISO strings for times.
   * @throws LoomError with a code of the closed table, for everything that is not a success.
   */
  run(op: string, input: unknown, caller: Caller): Promise<Record<string, unknown>>
  /**
   * The claims behind a bearer token. In single mode a token is ignored and the claims are the local person's
   * (or, for `client` given, the process of that name).
   * @param address of the client on the network: failures from one address are limited.
   * @throws LoomError UNAUTHENTICATED in multi mode, for no token or a bad, expired or revoked one (with `device_revoked`
   * and `wipe` for the token of a revoked device); RATE_LIMITED after too many of them.
   */
  authenticate(token: string | undefined, client?: string, address?: string): Promise<Claims>
  /**
   * Takes one call of a class from the budget of a caller, for routes that are no operation; `run` does so itself.
   * @throws LoomError RATE_LIMITED with `class` and `retry_after_s`.
   */
  draw(rate: RateClass, caller: Pick<Caller, 'claims' | 'address'>): void
  /** An MCP session closed: its implicit runs end. */
  endSession?(session: string): Promise<void>
  health(): Health
  /** Calls `listener` after every commit that changed something a window shows. Answers how to stop. */
  on(listener: (event: EngineEvent) => void): () => void
  close(): Promise<void>
}
