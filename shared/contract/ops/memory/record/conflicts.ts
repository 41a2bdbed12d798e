import { z } from 'zod'
import { DateTime, DateTimeIn, Str, U64, id5, nextCursor, page } from '../../../common.ts'
import { declareOp } from '../../../declare.ts'
import { FieldValue, RecordKey, SchemaName } from '../../../record.ts'

export const memoryRecordConflicts = declareOp({
  name: 'memory.record.conflicts',
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
  summary: 'What changed, field by field, whenever a version of a typed record superseded another; newest first.',
  input: z.object({
    ...id5,
    schema: SchemaName,
    record_key: RecordKey.optional().describe('All records when left out.'),
    field: Str.max(200).optional(),
    since: DateTimeIn.optional(),
    values_only: z.boolean().default(false).describe('Only a value that became another value: the true contradictions.'),
    ...page(50, 500),
  }),
  output: z.object({
    changes: z.array(
      z.object({
        record_key: z.string(),
        record_id: z.string(),
        user_id: z.string(),
        field: z.string(),
        from: FieldValue,
        to: FieldValue,
        from_version: U64,
        to_version: U64,
        from_version_text: z.string(),
        to_version_text: z.string(),
        at: DateTime,
        from_actor: z.string(),
        to_actor: z.string(),
        agent: z.string(),
        run_id: z.string(),
      }),
    ),
    ...nextCursor,
  }),
  errors: ['NOT_FOUND', 'INVALID_CURSOR'],
})
