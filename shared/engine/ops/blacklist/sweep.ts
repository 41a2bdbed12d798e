import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { blacklistSweep as contract } from '../../../contract/ops/blacklist/sweep.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { requireRole } from '../../rights.ts'
import { patternById, patternsBinding, type PatternRow } from '../../store/blacklist.ts'
import { reachOf, requireScope } from '../../write/blacklist-scope.ts'
import { sweepRows } from '../../write/sweep.ts'

async function named(blacklistId: string, context: PrepareContext): Promise<PatternRow> {
  const { org, namespace } = context.identity
  const pattern = await patternById(context.db, org, blacklistId)
  if (!pattern || (pattern.scope === 'namespace' && pattern.namespace !== namespace)) {
    throw new LoomError('NOT_FOUND', `There is no pattern ${blacklistId} that binds this namespace. blacklist.list names them.`, {
      field: 'blacklist_id',
    })
  }
  return pattern
}

export const blacklistSweep = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { identity, caller, db } = context
  requireRole(caller, identity.org, identity.namespace, contract.role)
  const one = input.blacklist_id === undefined ? null : await named(input.blacklist_id, context)
  if (one) requireScope(caller, identity.org, one.scope)
  const patterns = one ? [one] : await patternsBinding(db, identity.org, identity.namespace)
  const reach = await reachOf(db, one?.scope ?? 'namespace', identity)
  const sweep = await sweepRows(patterns, reach, { op: contract.name, limit: input.limit, dryRun: input.dry_run }, context)
  return { ...sweep, dry_run: input.dry_run }
})
