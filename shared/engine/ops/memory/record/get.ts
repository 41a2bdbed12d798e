import type { Output } from '../../../../contract/declare.ts'
import { LoomError } from '../../../../contract/errors.ts'
import { memoryRecordGet as contract } from '../../../../contract/ops/memory/record/get.ts'
import { knownValues, readFields } from '../../../../domain/records/values.ts'
import { defineRead } from '../../../handler.ts'
import { findRecord } from '../../../read/records/find-record.ts'
import { recordView } from '../../../read/records/view.ts'
import { requireSchema } from '../../../store/record-schemas.ts'
import { requireDerivedKey } from '../../../write/records/derived-key.ts'
import { refuseViolations } from '../../../write/records/write-record.ts'

export const memoryRecordGet = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  if ((input.record_key === undefined) === (input.fields === undefined))
    throw new LoomError('INVALID_ARGUMENT', 'Name a record by record_key or by its identity fields: exactly one of the two.', {
      field: 'record_key',
    })
  const schema = await requireSchema(context.db, context.identity, input.schema)
  const told = readFields(input.fields ?? {}, schema.fields)
  refuseViolations(schema.name, told.violations)
  const key = input.record_key ?? requireDerivedKey(schema, knownValues(told.fields))
  const row = await findRecord(schema.name, key, { asOf: input.as_of, tombstoned: false }, context)
  return row === null ? { found: false } : { found: true, ...recordView(row, schema.fields) }
})
