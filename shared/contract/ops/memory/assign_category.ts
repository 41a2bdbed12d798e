import { z } from 'zod'
import { DateTime, MemoryKey, Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryAssignCategory = declareOp({
  name: 'memory.assign_category',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: 'Puts a key into a registered category, or takes it out.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    memory_key: MemoryKey,
    category: Str.min(1).max(128).describe('Matched without case.'),
    rescind: z.boolean().default(false),
  }),
  output: z.object({
    assigned: z.boolean(),
    reason: z.enum(['', 'not_found', 'not_assigned']),
    memory_id: z.string(),
    category: z.string(),
    link: z.object({ category: z.string(), actor: z.string(), at: DateTime, rescinded_at: DateTime.nullable() }).nullable(),
  }),
  errors: ['NOT_FOUND'],
})
