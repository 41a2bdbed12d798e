import { z } from 'zod'
import { DateTime, MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryVerify = declareOp({
  name: 'memory.verify',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Vouches for a row as it now reads.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey,
    verified: z.boolean().default(true).describe('false withdraws.'),
    note: Str.max(500).default(''),
    if_match_sha256: Str.max(64).default(''),
  }),
  output: z.object({
    verified: z.boolean(),
    reason: z.enum(['', 'not_found', 'expired']),
    memory_id: z.string(),
    content_sha256: z.string(),
    verified_by: z.string(),
    verified_at: DateTime.nullable(),
  }),
  errors: ['AMBIGUOUS_KEY', 'PRECONDITION_FAILED'],
})
