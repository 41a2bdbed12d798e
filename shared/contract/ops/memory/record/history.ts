import { z } from 'zod'
import { id5, nextCursor, page } from '../../../common.ts'
import { declareOp } from '../../../declare.ts'
import { RecordKey, RecordView, SchemaName } from '../../../record.ts'

export const memoryRecordHistory = declareOp({
  name: 'memory.record.history',
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
  summary: 'Every version of one typed record with its status, newest first.',
  input: z.object({ ...id5, schema: SchemaName, record_key: RecordKey.describe('Key of the record.'), ...page(50, 500) }),
  output: z.object({ found: z.boolean(), versions: z.array(RecordView), ...nextCursor }),
  errors: ['NOT_FOUND', 'AMBIGUOUS_KEY', 'INVALID_CURSOR'],
})
