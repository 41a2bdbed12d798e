import type { Output } from '../../../../contract/declare.ts'
import { memoryRecordHistory as contract } from '../../../../contract/ops/memory/record/history.ts'
import { defineRead } from '../../../handler.ts'
import { versionsOfRecord } from '../../../read/records/history.ts'
import { recordView } from '../../../read/records/view.ts'
import { requireSchema } from '../../../store/record-schemas.ts'

export const memoryRecordHistory = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { name, fields } = await requireSchema(context.db, context.identity, input.schema)
  const { versions, nextCursor } = await versionsOfRecord(name, input.record_key, input, context)
  return { found: versions.length > 0, versions: versions.map((row) => recordView(row, fields)), next_cursor: nextCursor }
})
