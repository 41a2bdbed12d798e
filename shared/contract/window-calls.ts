/**
 * What a window and its host say of a call that is under way. A window that wants to hear of one, or to end it, gives it
 * an id of its own; a bridge has no other way for either.
 */

/** Ends a call; answered at once, whether or not it still ran. The call itself is answered CANCELLED. */
export const END_CALL = 'call.end'

/** Told on the road of the events, to whoever made the call. */
export interface CallTold {
  readonly type: 'call.told'
  readonly call: string
  readonly told: Record<string, unknown>
}

/** Id of the call that a call of `END_CALL` names; empty where it names none. */
export function endedCall(input: unknown): string {
  const call = typeof input === 'object' && input !== null && 'call' in input ? input.call : ''
  return typeof call === 'string' ? call : ''
}
