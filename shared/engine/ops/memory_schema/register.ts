import type { Output } from '../../../contract/declare.ts'
import { memorySchemaRegister as contract } from '../../../contract/ops/memory_schema/register.ts'
import { defineWrite } from '../../handler.ts'
import { putSchema } from '../../write/records/put-schema.ts'

export const memorySchemaRegister = defineWrite(contract, {
  run: (input, context): Promise<Output<typeof contract>> => putSchema(contract.name, input, 'active', '', context),
})
