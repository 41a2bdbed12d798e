import type { PrepareContext } from '../../handler.ts'
import { checkTarget, findPair, isOpenPair } from './find-pair.ts'
import { assessMerge } from './merge.ts'
import { assessReopen } from './reopen.ts'
import { checkValue, type AssessedSettlement, type SettleCall } from './settle-pair.ts'

/**
 * Checks a settlement and does its slow work: the value of a merge, or the one that a reopened merge goes back to, is
 * embedded and judged.
 * @throws LoomError INVALID_ARGUMENT, and as `findPair`
 */
export async function assessSettlement(call: SettleCall, context: PrepareContext): Promise<AssessedSettlement> {
  checkTarget(call.target)
  checkValue(call.resolution, call.value)
  const slow = call.resolution === 'merge' || call.resolution === 'reopen'
  const found = slow ? await findPair(context.db, call.target, context) : null
  if (!found) return { merge: null, reopen: null }
  if (call.resolution === 'reopen') return { merge: null, reopen: await assessReopen(found, context) }
  return { merge: isOpenPair(found, context.now) ? await assessMerge(found, call, context) : null, reopen: null }
}
