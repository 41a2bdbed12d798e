import { z } from 'zod'
import { MemoryKey, Str, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Version } from '../../row.ts'

export const memoryHistory = declareOp({
  name: 'memory.history',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'core',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'exact',
  summary: 'Every version of a key, newest first.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.optional().describe('This or memory_id.'),
    memory_id: Str.min(1).max(64).optional().describe('This or memory_key.'),
    include_values: z.boolean().default(true),
    ...page(50, 200),
  }),
  output: z.object({
    found: z.boolean(),
    memory_key: z.string(),
    memory_id: z.string(),
    head_status: z.string(),
    rows: z.array(Version),
    ...nextCursor,
  }),
  errors: ['AMBIGUOUS_KEY', 'INVALID_CURSOR'],
  needsOneOf: ['memory_key', 'memory_id'],
})
