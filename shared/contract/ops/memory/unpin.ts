import { z } from 'zod'
import { MemoryKey, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryUnpin = declareOp({
  name: 'memory.unpin',
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
  summary: 'Takes the pin off a fact, so that later sets can replace it.',
  input: z.object({ ...id5, memory_key: MemoryKey, reason: Str.max(500).default('') }),
  output: z.object({
    unpinned: z.boolean(),
    reason: z.enum(['', 'not_found', 'expired', 'not_pinned']),
    memory_id: z.string(),
    version: U64,
    version_text: z.string(),
  }),
  errors: ['AMBIGUOUS_KEY'],
})
