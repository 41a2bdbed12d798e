import type { Output } from '../../../contract/declare.ts'
import { memoryAggregate as contract } from '../../../contract/ops/memory/aggregate.ts'
import { defineRead } from '../../handler.ts'
import { aggregate } from '../../read/records/aggregate.ts'
import { requireSchema } from '../../store/record-schemas.ts'

export const memoryAggregate = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { fields } = await requireSchema(context.db, context.identity, input.schema)
  return aggregate(input, fields, context)
})
