import { z } from 'zod'
import { DateTimeIn, id5 } from '../../../common.ts'
import { declareOp } from '../../../declare.ts'
import { FieldsIn, RecordKey, SchemaName, recordFields } from '../../../record.ts'

export const memoryRecordGet = declareOp({
  name: 'memory.record.get',
  group: 'records',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Reads one typed record by its key, or by its identity fields.',
  input: z.object({
    ...id5,
    schema: SchemaName,
    record_key: RecordKey.optional(),
    fields: FieldsIn.optional().describe('The identity fields: the key is derived from them.'),
    as_of: DateTimeIn.optional().describe('The record as it was then.'),
  }),
  output: z.object({ found: z.boolean(), ...z.object(recordFields).partial().shape }),
  errors: ['NOT_FOUND', 'AMBIGUOUS_KEY', 'SCHEMA_VIOLATION'],
  needsOneOf: ['record_key', 'fields'],
})
