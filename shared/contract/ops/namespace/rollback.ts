import { z } from 'zod'
import { DateTime, DateTimeIn, MemoryKey, Str, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

/** What taking keys back to a past state did, or would do. */
export const Outcome = z.object({
  dry_run: z.boolean(),
  to: DateTime,
  revised: z.int(),
  tombstoned: z.int(),
  restored: z.int(),
  unchanged: z.int(),
  refused: z.array(z.object({ memory_key: z.string(), memory_id: z.string(), code: z.string() })),
  refused_count: z.int(),
  changes: z.array(
    z.object({
      memory_key: z.string(),
      memory_id: z.string(),
      change: z.enum(['revised', 'tombstoned', 'restored']),
      excerpt_now: z.string(),
      excerpt_then: z.string(),
    }),
  ),
  before_snapshot_id: z.string().nullable(),
})

export const namespaceRollback = declareOp({
  name: 'namespace.rollback',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'bulk',
  sync: 'server',
  host: 'engine',
  identity: 'selector',
  summary: 'Takes keys back to a past state, with events. Pins and locks stay as they are now.',
  input: z.object({
    ...id5,
    to: DateTimeIn.describe('A past time.'),
    keys: z.array(MemoryKey).min(1).max(1000).optional().describe('These keys; or key_prefix; neither: all.'),
    key_prefix: Str.min(1).max(512).optional(),
    reason: Str.min(1).max(500),
    dry_run: z.boolean().default(true),
  }),
  output: Outcome,
  errors: [],
})
