import type { Output } from '../../../../contract/declare.ts'
import { memoryRecordWrite as contract } from '../../../../contract/ops/memory/record/write.ts'
import { defineWrite } from '../../../handler.ts'
import { writeRecord } from '../../../write/records/write-record.ts'

export const memoryRecordWrite = defineWrite(contract, {
  run: (input, context): Promise<Output<typeof contract>> => writeRecord(contract.name, input, context),
})
