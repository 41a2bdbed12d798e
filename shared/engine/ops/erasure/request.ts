import type { Output } from '../../../contract/declare.ts'
import { erasureRequest as contract } from '../../../contract/ops/erasure/request.ts'
import { askErasure } from '../../erasure/ask.ts'
import { passScopeRights, readScope } from '../../erasure/asked-scope.ts'
import { defineBatch } from '../../handler.ts'

export const erasureRequest = defineBatch(contract, async (input, context): Promise<Output<typeof contract>> => {
  const scope = readScope(input)
  passScopeRights(context.caller, context.identity.org, input, scope)
  return askErasure({ ...input, ...scope, op: contract.name, collection: '' }, context)
})
