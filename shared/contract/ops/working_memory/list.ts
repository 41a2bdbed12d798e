import { z } from 'zod'
import { DateTime, JsonValue, Str, U64, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const workingMemoryList = declareOp({
  name: 'working_memory.list',
  group: 'knowledge',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Lists scratch state by key, and the leases held in the namespace.',
  input: z.object({ ...id5, prefix: Str.max(512).default(''), values: z.boolean().default(false), ...page(100, 1000) }),
  output: z.object({
    entries: z.array(
      z.object({
        key: z.string(),
        agent: z.string(),
        user_id: z.string(),
        session_id: z.string(),
        value: JsonValue.optional(),
        bytes: z.int(),
        version: U64,
        version_text: z.string(),
        updated_at: DateTime,
        expires_at: DateTime,
      }),
    ),
    leases: z.array(z.object({ name: z.string(), holder: z.string(), until: DateTime })),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
