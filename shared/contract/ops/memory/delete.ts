import { z } from 'zod'
import { DateTime, MemoryKey, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryDelete = declareOp({
  name: 'memory.delete',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'core',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Retires a fact, whoever wrote it; memory.restore brings it back for 14 days.',
  input: z.object({ ...id5, memory_key: MemoryKey, run_id: Str.max(200).default(''), reason: Str.max(500).default('') }),
  output: z.object({
    found: z.boolean(),
    tombstoned: z.boolean(),
    memory_id: z.string(),
    version: U64,
    version_text: z.string(),
    restorable_until: DateTime.nullable(),
    summaries: z.array(z.object({ memory_key: z.string(), status: z.enum(['conflicted', 'superseded']) })),
  }),
  errors: ['AMBIGUOUS_KEY', 'LOCKED'],
})
