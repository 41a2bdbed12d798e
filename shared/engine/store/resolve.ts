import { LoomError } from '../../contract/errors.ts'
import type { Queryable } from '../db/database.ts'
import type { CallContext } from '../handler.ts'
import { withinBound } from '../identity.ts'
import { headsOfKey, type Head } from './memories.ts'

const MOST_CANDIDATES = 20

/** @throws LoomError AMBIGUOUS_KEY naming up to 20 candidates. */
export function ambiguous(key: string, heads: readonly Head[]): LoomError {
  return new LoomError('AMBIGUOUS_KEY', `${heads.length} rows hold ${key}. Name agent, user_id or session_id, or use one of the ids.`, {
    candidates: heads.slice(0, MOST_CANDIDATES).map((head) => ({
      org: head.org,
      namespace: head.namespace,
      agent: head.agent,
      user_id: head.user_id,
      session_id: head.session_id,
      memory_key: head.memory_key,
      memory_id: head.memory_id,
      status: head.status,
    })),
  })
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
