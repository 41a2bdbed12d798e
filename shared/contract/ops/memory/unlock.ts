import { z } from 'zod'
import { Lock, MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryUnlock = declareOp({
  name: 'memory.unlock',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Ends the lock of a row.',
  input: z.object({ ...id5, memory_key: MemoryKey, reason: Str.max(500).default('') }),
  output: z.object({
    unlocked: z.boolean(),
    reason: z.enum(['', 'not_found', 'not_locked']),
    memory_id: z.string(),
    was: Lock.pick({ mode: true, reason: true, locked_by: true, until: true }).nullable(),
  }),
  errors: ['AMBIGUOUS_KEY'],
})
