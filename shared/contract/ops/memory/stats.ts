import { z } from 'zod'
import { DateTime, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

const counts = z.record(z.string(), z.int())
const named = z.array(z.object({ name: z.string(), count: z.int() }))

export const memoryStats = declareOp({
  name: 'memory.stats',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Counts and sizes of what the caller may read.',
  input: z.object({ ...id5, top: z.int().min(1).max(500).default(50).describe('Of tags, and of agents.') }),
  output: z.object({
    total: z.int(),
    by_status: counts,
    by_type: counts,
    by_sensitivity: counts,
    by_source_class: counts,
    by_tag: named,
    by_agent: named,
    pinned: z.int(),
    locked: z.int(),
    provisional: z.int(),
    unverified_external: z.int(),
    expiring_7d: z.int(),
    restorable: z.int(),
    conflicts_open: z.int(),
    duplicates_open: z.int(),
    proposals_open: z.int(),
    versions: z.int(),
    size: z.object({
      value_bytes: z.int(),
      version_bytes: z.int(),
      vector_bytes: z.int(),
      chunk_bytes: z.int(),
      database_bytes: z.int().nullable(),
    }),
    oldest_at: DateTime.nullable(),
    newest_at: DateTime.nullable(),
    embedding: z.object({ model: z.string(), embedded: z.int(), pending: z.int(), other_model: z.int() }),
    extraction_pending: z.int(),
    degraded: z.array(z.string()),
  }),
  errors: [],
})
