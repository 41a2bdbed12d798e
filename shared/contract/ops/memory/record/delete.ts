import { z } from 'zod'
import { Str, U64, id5 } from '../../../common.ts'
import { declareOp } from '../../../declare.ts'
import { RecordKey, SchemaName } from '../../../record.ts'
import { claimFields } from '../set.ts'

export const memoryRecordDelete = declareOp({
  name: 'memory.record.delete',
  group: 'records',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Tombstones one typed record. Its history stays until an erasure; writing the key again revives it.',
  input: z.object({
    ...id5,
    schema: SchemaName,
    record_key: RecordKey.describe('Key of the record.'),
    if_match_sha256: claimFields.if_match_sha256,
    reason: Str.max(500).default(''),
  }),
  output: z.object({ found: z.boolean(), tombstoned: z.boolean(), version: U64, version_text: z.string() }),
  errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
})
