import type { Output } from '../../../../contract/declare.ts'
import { memoryRecordDelete as contract } from '../../../../contract/ops/memory/record/delete.ts'
import { defineWrite } from '../../../handler.ts'
import { deleteRecord } from '../../../write/records/delete-record.ts'

export const memoryRecordDelete = defineWrite(contract, {
  run: (input, context): Promise<Output<typeof contract>> => deleteRecord(contract.name, input, context),
})
