import { z } from 'zod'
import { MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryOutcome = declareOp({
  name: 'memory.outcome',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: false,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Tells how acting on a memory went.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey,
    outcome: z.enum(['positive', 'negative', 'neutral']),
    weight: z.int().min(1).max(10).default(1).describe('What the counter moves by.'),
    run_id: Str.max(200).default('').describe('A run counts once per row.'),
    note: Str.max(500).default(''),
  }),
  output: z.object({
    recorded: z.boolean(),
    reason: z.enum(['', 'not_found', 'expired', 'repeated']),
    memory_id: z.string(),
    acted_count: z.int(),
    harm_count: z.int(),
    quarantined: z.boolean(),
    status: z.string(),
  }),
  errors: ['AMBIGUOUS_KEY'],
})
