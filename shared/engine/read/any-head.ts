import { LoomError } from '../../contract/errors.ts'
import type { ReadContext } from '../handler.ts'
import { withinBound } from '../identity.ts'
import { headAt, headById, type Head } from '../store/memories.ts'
import { ambiguous, candidates } from '../store/resolve.ts'

interface Named {
  readonly memory_key?: string | undefined
  readonly memory_id?: string | undefined
}

/**
 * The head that a key or an id names, whatever its status: the exact identity's, else the only one of the namespace.
 * @throws LoomError INVALID_ARGUMENT unless exactly one is named, AMBIGUOUS_KEY for several rows.
 */
export async function anyHead(input: Named, context: ReadContext): Promise<Head | null> {
  if ((input.memory_key === undefined) === (input.memory_id === undefined)) {
    throw new LoomError('INVALID_ARGUMENT', 'Name memory_key or memory_id, one of them.', { field: 'memory_key' })
  }
  if (input.memory_id !== undefined) {
    const head = await headById(context.db, context.identity.org, input.memory_id)
    return head && head.namespace === context.identity.namespace && withinBound(context.caller, head) ? head : null
  }
  const key = input.memory_key ?? ''
  const exact = await headAt(context.db, context.identity, key)
  if (exact && withinBound(context.caller, exact)) return exact
  const found = await candidates(context.db, key, context)
  if (found.length > 1) throw ambiguous(key, found)
  return found[0] ?? null
}
