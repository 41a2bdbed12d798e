import { z } from 'zod'
import { DateTime, MemoryKey, U64, U64In, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryDeleteVersion = declareOp({
  name: 'memory.delete_version',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'Deletes a row only if it still is the version named.',
  input: z.object({ ...id5, memory_key: MemoryKey, version: U64In }),
  output: z.object({
    found: z.boolean(),
    tombstoned: z.boolean(),
    reason: z.enum(['', 'not_found', 'version_changed']),
    memory_id: z.string(),
    version: U64.nullable(),
    version_text: z.string(),
    restorable_until: DateTime.nullable(),
  }),
  errors: ['LOCKED'],
})
