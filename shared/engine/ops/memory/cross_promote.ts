import { LoomError } from '../../../contract/errors.ts'
import { memoryCrossPromote as contract } from '../../../contract/ops/memory/cross_promote.ts'
import { defineWrite } from '../../handler.ts'
import { requireRole } from '../../rights.ts'
import { shareRow } from '../../write/share-row.ts'

export const memoryCrossPromote = defineWrite(contract, {
  async run(input, context) {
    const { org, namespace } = context.identity
    requireRole(context.caller, org, input.to_namespace, contract.role, 'to_namespace')
    if (input.to_namespace === namespace)
      throw new LoomError('INVALID_ARGUMENT', 'to_namespace is where the row lies. Name another, or call memory.promote.', {
        field: 'to_namespace',
      })
    return { ...(await shareRow(input, input.to_namespace, contract.name, context)), to_namespace: input.to_namespace }
  },
})
