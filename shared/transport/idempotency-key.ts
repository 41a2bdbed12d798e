import { LoomError } from '../contract/errors.ts'

const SANE = /^[\x21-\x7e]{1,255}$/

/**
 * An idempotency key as a caller's field, or nothing.
 * @param name how the transport calls it, for the message.
 * @throws LoomError INVALID_ARGUMENT
 */
export function idempotencyKey(given: unknown, name: string): { idempotencyKey?: string } {
  if (given === undefined) return {}
  if (typeof given === 'string' && SANE.test(given)) return { idempotencyKey: given }
  throw new LoomError('INVALID_ARGUMENT', `${name} has to be 1 to 255 printable ASCII characters without spaces.`, { field: name })
}
