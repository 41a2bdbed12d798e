import type { Output } from '../../../contract/declare.ts'
import { blacklistAdd as contract } from '../../../contract/ops/blacklist/add.ts'
import { defineBatch } from '../../handler.ts'
import { transact } from '../../transact.ts'
import { addPattern, checkPattern } from '../../write/add-pattern.ts'
import { reachOf, requireScope } from '../../write/blacklist-scope.ts'
import { NOT_SWEPT, SWEEP_LIMIT, sweepRows } from '../../write/sweep.ts'

export const blacklistAdd = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { identity, caller, db } = context
  requireScope(caller, identity.org, input.scope)
  if (input.pattern_type === 'regex') checkPattern(input.pattern)
  const added = await transact(context, (write) => addPattern(input, write))
  const options = { op: contract.name, limit: SWEEP_LIMIT, dryRun: false }
  const pattern = { blacklist_id: added.blacklist_id, pattern: input.pattern, pattern_type: input.pattern_type }
  const sweep = input.sweep ? await sweepRows([pattern], await reachOf(db, input.scope, identity), options, context) : NOT_SWEPT
  const { swept, skipped_locked, swept_truncated, sweep_error } = sweep
  return { ...added, scope: input.scope, swept, skipped_locked, swept_truncated, sweep_error }
})
