import { z } from 'zod'
import { DateTime, ROLES } from '../../common.ts'
import { declareOp } from '../../declare.ts'

/** Who a token is, and what it may do. */
export const Claims = z.object({
  token_id: z.string(),
  subject: z.string(),
  kind: z.enum(['human', 'process']),
  org: z.string(),
  grants: z.record(z.string(), z.enum(ROLES)),
  agent: z.string(),
  user_id: z.string(),
  own_session: z.boolean(),
  session_id: z.string(),
  device_id: z.string(),
  expires_at: DateTime.nullable(),
})
export type Claims = z.infer<typeof Claims>

export const engineInfo = declareOp({
  name: 'engine.info',
  group: 'admin',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'none',
  summary: 'What this Loom is, how it stands, and who is asking.',
  input: z.object({}),
  output: z.object({
    host: z.enum(['desktop', 'server']),
    mode: z.enum(['single', 'multi']),
    version: z.string(),
    judge_version: z.string(),
    schema_version: z.int(),
    started_at: DateTime,
    storage: z.object({ kind: z.enum(['pglite', 'postgres']), path: z.string(), bytes: z.int(), durable: z.boolean() }),
    counts: z.object({ memories: z.int(), versions: z.int(), documents: z.int(), records: z.int() }),
    embedder: z.object({
      model: z.string(),
      dim: z.int(),
      state: z.enum(['ready', 'loading', 'reindexing', 'unavailable']),
      queue: z.int(),
    }),
    index: z.object({ rows: z.int(), bytes: z.int(), ready: z.boolean() }),
    sync: z.object({ state: z.string(), queued: z.int(), inbox: z.int() }).nullable(),
    principal: Claims,
    degraded: z.array(z.string()),
    limits: z.object({ max_request_bytes: z.int(), rates: z.record(z.string(), z.int()) }),
  }),
  errors: [],
})
