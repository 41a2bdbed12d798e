import { memoryConsolidate as contract } from '../../../contract/ops/memory/consolidate.ts'
import { defineWrite } from '../../handler.ts'
import { consolidate, prepareSummary } from '../../write/consolidate.ts'

export const memoryConsolidate = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: (input, _prepared: undefined, context) => prepareSummary(input, context),
  run: (input, context, _prepared, ready) => consolidate(contract.name, input, context, ready),
})
