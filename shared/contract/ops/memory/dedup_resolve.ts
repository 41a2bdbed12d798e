import { z } from 'zod'
import { Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { pairTarget, settleAnswer } from '../../pair.ts'

export const memoryDedupResolve = declareOp({
  name: 'memory.dedup_resolve',
  group: 'review',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Settles one duplicate: keeps the canonical row, the duplicate, or both.',
  input: z.object({
    ...pairTarget,
    keep: z.enum(['canonical', 'duplicate', 'both']),
    reason: Str.max(500).default(''),
    dry_run: z.boolean().default(false),
  }),
  output: z.object(settleAnswer),
  errors: ['AMBIGUOUS_KEY', 'PRECONDITION_FAILED', 'PINNED_CONFLICT', 'LOCKED'],
  needsOneOf: ['pair_id', 'memory_id', 'memory_key'],
})
