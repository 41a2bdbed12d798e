import { z } from 'zod'
import { DateTime, MemoryKey, Str, U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const workingMemoryAcquire = declareOp({
  name: 'working_memory.acquire',
  group: 'knowledge',
  kind: 'write',
  role: 'writer',
  idempotent: false,
  audited: false,
  toolset: 'all',
  rate: 'write',
  sync: 'local',
  host: 'engine',
  identity: 'exact',
  summary: 'Takes or renews a lease of the namespace. Held by another: acquired is false, at once.',
  advice: 'Send `fence` along with writes that a late holder must not make: it grows with each new holder.',
  input: z.object({
    ...id5,
    name: MemoryKey,
    ttl_seconds: z.int().min(1).max(3600).default(60),
    lease_id: Str.max(200).default('').describe('Renews the lease that was given under this id.'),
    note: Str.max(200).default(''),
  }),
  output: z.object({
    acquired: z.boolean(),
    lease_id: z.string().nullable(),
    fence: U64.nullable(),
    until: DateTime.nullable(),
    held_by: z.object({ agent: z.string(), session_id: z.string(), note: z.string(), since: DateTime, until: DateTime }).nullable(),
  }),
  errors: [],
})
