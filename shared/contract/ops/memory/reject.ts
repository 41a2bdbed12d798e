import { z } from 'zod'
import { MemoryKey, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryReject = declareOp({
  name: 'memory.reject',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Marks a fact as wrong: out of search, not to be learnt again.',
  input: z.object({ ...id5, memory_key: MemoryKey, reason: Str.max(500).default('') }),
  output: z.object({
    rejected: z.boolean(),
    reason: z.enum(['', 'not_found', 'expired']),
    memory_id: z.string(),
    version: U64,
    version_text: z.string(),
    status: z.string(),
  }),
  errors: ['AMBIGUOUS_KEY', 'LOCKED'],
})
