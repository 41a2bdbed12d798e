import { LoomError } from '../contract/errors.ts'

/** What a call is told that comes while the host ends. */
export const shuttingDown = (): LoomError =>
  new LoomError('UNAVAILABLE', 'Loom is shutting down. Try again when it has started.', { retry_after_s: 2 })
