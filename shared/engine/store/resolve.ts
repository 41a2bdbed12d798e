import { LoomError } from '../../contract/errors.ts'
import type { Queryable } from '../db/database.ts'
import type { CallContext } from '../handler.ts'
import { withinBound, type Identity } from '../identity.ts'
import { headsOfKey, type Head } from './memories.ts'

/** Candidates that a refusal names. */
export const MOST_CANDIDATES = 20

/** Several things have the name that was given: up to 20 of them, each with its place and what else tells it from the others. */
export function severalNamed<T extends Identity>(
  message: string,
  found: readonly T[],
  told: readonly (keyof T)[],
  fields: Readonly<Record<string, unknown>> = {},
): LoomError {
  return new LoomError('AMBIGUOUS_KEY', message, {
    ...fields,
    candidates: found.slice(0, MOST_CANDIDATES).map((one) => {
      const { org, namespace, agent, user_id, session_id } = one
      return { org, namespace, agent, user_id, session_id, ...Object.fromEntries(told.map((name) => [name, one[name]])) }
    }),
  })
}

/** AMBIGUOUS_KEY for rows of one key. */
export function ambiguous(key: string, heads: readonly Head[]): LoomError {
  const message = `${heads.length} rows hold ${key}. Name agent, user_id or session_id, or use one of the ids.`
  return severalNamed(message, heads, ['memory_key', 'memory_id', 'status'])
}

/** Heads of a key in the whole namespace that the token may touch; fields that the call gives narrow (CHG015, CHG016). */
export async function candidates(db: Queryable, key: string, context: CallContext): Promise<Head[]> {
  const { org, namespace } = context.identity
  const { agent, user_id, session_id } = context.given
  const narrow = { ...(agent && { agent }), ...(user_id && { user_id }), ...(session_id && { session_id }) }
  const heads = await headsOfKey(db, org, namespace, key, narrow)
  return heads.filter((head) => withinBound(context.caller, head))
}

/**
 * The one row of a key that `suits`, or null.
 * @throws LoomError AMBIGUOUS_KEY for several.
 */
export async function resolveOne(db: Queryable, key: string, context: CallContext, suits: (head: Head) => boolean): Promise<Head | null> {
  const suited = (await candidates(db, key, context)).filter(suits)
  if (suited.length > 1) throw ambiguous(key, suited)
  return suited[0] ?? null
}
