import type { Output } from '../../../../contract/declare.ts'
import { memoryRecordConflicts as contract } from '../../../../contract/ops/memory/record/conflicts.ts'
import { defineRead } from '../../../handler.ts'
import { changesOfRecords } from '../../../read/records/history.ts'
import { requireField } from '../../../read/records/read-where.ts'
import { requireSchema } from '../../../store/record-schemas.ts'

export const memoryRecordConflicts = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { fields } = await requireSchema(context.db, context.identity, input.schema)
  if (input.field !== undefined) requireField(input.field, 'field', fields)
  const names = fields.map((field) => field.name)
  const { changes, nextCursor } = await changesOfRecords(input, names, context)
  return { changes, next_cursor: nextCursor }
})
