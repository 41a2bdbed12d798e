import { z } from 'zod'
import { Name, Str, U64In } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { readAnswer, readFields } from './get.ts'

export const memoryGetById = declareOp({
  name: 'memory.get_by_id',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'org',
  summary: 'Reads one row by its memory_id.',
  input: z.object({
    org: Name.optional(),
    memory_id: Str.min(1).max(64),
    version: U64In.optional().describe('A past version.'),
    ...readFields,
  }),
  output: z.object(readAnswer),
  errors: [],
})
