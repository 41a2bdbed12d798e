import { memoryPromote as contract } from '../../../contract/ops/memory/promote.ts'
import { defineWrite } from '../../handler.ts'
import { shareRow } from '../../write/share-row.ts'

export const memoryPromote = defineWrite(contract, {
  run: (input, context) => shareRow(input, context.identity.namespace, contract.name, context),
})
