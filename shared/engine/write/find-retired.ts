import { LoomError } from '../../contract/errors.ts'
import type { Queryable } from '../db/database.ts'
import type { CallContext } from '../handler.ts'
import { withinBound } from '../identity.ts'
import { headById, type Head } from '../store/memories.ts'
import { ambiguous, candidates } from '../store/resolve.ts'
import { RESTORABLE_MS } from '../store/row-view.ts'
import { isLive } from './state.ts'

/** A row named by its key or by its id. */
export interface Target {
  readonly memory_key?: string | undefined
  readonly memory_id?: string | undefined
}

const RETIRED = new Set(['tombstoned', 'superseded', 'rejected'])

/** The retired row that is meant, or why there is none. */
export async function findRetired(
  db: Queryable,
  input: Target,
  context: CallContext,
): Promise<{ head: Head } | { reason: 'not_found' | 'too_old' | 'live' }> {
  const named = input.memory_id === undefined ? null : await headById(db, context.identity.org, input.memory_id)
  const byId = named && named.namespace === context.identity.namespace && withinBound(context.caller, named) ? [named] : []
  const rows = input.memory_key === undefined ? byId : await candidates(db, input.memory_key, context)
  // A moved key's tombstone has its fact elsewhere, and a scrubbed row none at all.
  const retired = rows.filter((row) => RETIRED.has(row.status) && row.value !== null)
  if (retired.length > 1) throw ambiguous(input.memory_key ?? '', retired)
  const [head] = retired
  if (!head) return { reason: rows.some((row) => isLive(row, context.now)) ? 'live' : 'not_found' }
  const age = context.now.getTime() - (head.tombstoned_at?.getTime() ?? context.now.getTime())
  return head.status === 'tombstoned' && age > RESTORABLE_MS ? { reason: 'too_old' } : { head }
}

/** @throws LoomError INVALID_ARGUMENT unless exactly one of the two is named. */
export function checkTarget(input: Target): void {
  if ((input.memory_key === undefined) === (input.memory_id === undefined)) {
    throw new LoomError('INVALID_ARGUMENT', 'Name memory_key or memory_id, one of them.', { field: 'memory_key' })
  }
}
