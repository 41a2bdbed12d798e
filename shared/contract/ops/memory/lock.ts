import { z } from 'zod'
import { DateTimeIn, Lock, LockMode, MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryLock = declareOp({
  name: 'memory.lock',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'core',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Guards a row against edits or deletion.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey,
    mode: LockMode.default('read_only'),
    reason: Str.min(1).max(500),
    until: DateTimeIn.nullable().optional(),
    ttl_seconds: z.int().min(1).max(3_153_600_000).optional(),
    locked_by: Str.max(300).optional().describe('A label; the actor when left out.'),
    run_id: Str.max(200).default(''),
  }),
  output: z.object({ locked: z.boolean(), reason: z.enum(['', 'not_found', 'expired']), memory_id: z.string(), lock: Lock.nullable() }),
  errors: ['AMBIGUOUS_KEY'],
})
