import type { Input } from '../../../contract/declare.ts'
import { memoryUpdateById as contract } from '../../../contract/ops/memory/update_by_id.ts'
import { defineWrite } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { atLeast, roleIn } from '../../rights.ts'
import { headById } from '../../store/memories.ts'
import { assessUpdate, notUpdated, updateClaim, type FindHead } from '../../write/update-claim.ts'

type Call = Input<typeof contract>

/** The caller's right in the row's namespace is checked before anything of it is told (CHG022). */
const finderOf =
  (input: Call): FindHead =>
  async (db, { identity, caller }) => {
    const head = await headById(db, identity.org, input.memory_id)
    const writable = head !== null && atLeast(roleIn(caller.claims, head.org, head.namespace), contract.role) && withinBound(caller, head)
    return writable ? head : null
  }

export const memoryUpdateById = defineWrite(contract, {
  async exclusive(input, context) {
    const head = await finderOf(input)(context.db, context)
    return `${context.identity.org}/${head?.namespace ?? ''}`
  },
  assess: (input, _prepared: undefined, context) => assessUpdate(input, finderOf(input), context),
  async run(input, context, _prepared, assessed) {
    const updated = assessed && (await updateClaim(contract.name, input, finderOf(input), assessed, context))
    return updated ?? notUpdated('', 'not_found', 'memory.search', input, context)
  },
})
