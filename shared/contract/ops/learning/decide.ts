import { z } from 'zod'
import { MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { LearningReview } from '../../shaped.ts'

export const learningDecide = declareOp({
  name: 'learning.decide',
  group: 'runs',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Keeps a learning, or rejects it: out of search, not learnt again.',
  input: z.object({ ...id5, memory_key: MemoryKey, decision: z.enum(['keep', 'reject']), reason: Str.max(500).default('') }),
  output: z.object({
    found: z.boolean(),
    decided: z.boolean(),
    reason: z.enum(['', 'not_found', 'not_a_learning']),
    review: LearningReview.nullable(),
    status: z.string(),
  }),
  errors: ['AMBIGUOUS_KEY', 'LOCKED'],
})
