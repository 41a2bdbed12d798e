import type { HostCallName } from '../contract/host-calls.ts'

/** Calls that a host answers to its own window, beside the engine's operations. */
export interface HostCalls {
  /** @throws LoomError for everything that is not a success. */
  run(name: HostCallName, input: unknown): Promise<Record<string, unknown>>
}
