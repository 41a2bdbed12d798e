import type { PrepareContext } from '../../handler.ts'
import { checkTarget, findPair, isOpenPair } from './find-pair.ts'
import { isOfVersions } from '../../store/pair-sides.ts'
import { assessMerge } from './merge.ts'
import { assessReopen } from './reopen.ts'
import { valueToWrite } from './settle-versions.ts'
import { checkValue, type AssessedSettlement, type SettleCall } from './settle-pair.ts'

/**
 * Checks a settlement and does its slow work: the value of a merge, or the one that a reopened merge goes back to, is
 * embedded and judged.
 * @throws LoomError INVALID_ARGUMENT, and as `findPair`
 */
export async function assessSettlement(call: SettleCall, context: PrepareContext): Promise<AssessedSettlement> {
  checkTarget(call.target)
  checkValue(call.resolution, call.value)
  const found = call.resolution === 'keep_row' ? null : await findPair(context.db, call.target, context)
  if (!found) return { merge: null, reopen: null }
  if (call.resolution === 'reopen') return { merge: null, reopen: await assessReopen(found, context) }
  const value = isOfVersions(found.pair) ? valueToWrite(found, call) : call.resolution === 'merge' ? call.value : undefined
  const writes = value !== undefined && isOpenPair(found, context.now)
  return { merge: writes ? await assessMerge(found, { ...call, value }, context) : null, reopen: null }
}
