import type { Output } from '../../../contract/declare.ts'
import { memorySchemaPropose as contract } from '../../../contract/ops/memory_schema/propose.ts'
import { defineWrite } from '../../handler.ts'
import { putSchema } from '../../write/records/put-schema.ts'

export const memorySchemaPropose = defineWrite(contract, {
  run: (input, context): Promise<Output<typeof contract>> => putSchema(contract.name, input, 'proposed', input.reason, context),
})
