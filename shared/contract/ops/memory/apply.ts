import { z } from 'zod'
import { DateTimeIn, LockMode, MemoryKey, MemoryType, OnExpire, Str, Tag, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

/** Rows that pass all of these conditions. */
export const RowFilter = z.strictObject({
  tags_any: z.array(Tag).min(1).max(64).optional(),
  tags_all: z.array(Tag).min(1).max(64).optional(),
  memory_type: MemoryType.optional(),
  key_prefix: Str.min(1).max(512).optional(),
  created_before: DateTimeIn.optional(),
  created_after: DateTimeIn.optional(),
  confidence_lte: z.number().min(0).max(1).optional(),
  source_trace: Str.min(1).max(1024).optional(),
})

const Query = z.strictObject({ query: Str.min(1).max(4000), tags: z.array(Tag).max(64).optional(), memory_type: MemoryType.optional() })

export const memoryApply = declareOp({
  name: 'memory.apply',
  group: 'memory',
  kind: 'write',
  role: 'writer',
  idempotent: false,
  audited: true,
  toolset: 'core',
  rate: 'bulk',
  sync: 'replay',
  host: 'engine',
  identity: 'exact',
  summary: 'One change on many existing rows of one agent, previewed first.',
  advice: 'dry_run is on unless you turn it off: read the rows it would change first.',
  input: z.object({
    ...id5,
    keys: z.array(MemoryKey).min(1).max(1000).optional().describe('Target: these keys.'),
    filter: RowFilter.optional().describe('Target: rows that pass all of these.'),
    search: Query.optional().describe('Target: what a search finds.'),
    limit: z.int().min(1).max(1000).optional().describe('Needed with filter and search.'),
    action: z.enum(['delete', 'expire', 'lock', 'label', 'demote']),
    reason: Str.min(1).max(500),
    dry_run: z.boolean().default(true),
    expire: z
      .strictObject({
        ttl_seconds: z.int().min(1).max(3_153_600_000).optional(),
        until: DateTimeIn.optional(),
        on_expire: OnExpire.optional(),
      })
      .optional(),
    lock: z.strictObject({ mode: LockMode.default('read_only'), until: DateTimeIn.optional() }).optional(),
    label: z.strictObject({ tags: z.array(Tag).min(1).max(64), mode: z.enum(['add', 'replace', 'remove']).default('add') }).optional(),
    demote: z
      .strictObject({ confidence_factor: z.number().min(0).lt(1).optional(), confidence_delta: z.number().gt(0).max(1).optional() })
      .optional(),
  }),
  output: z.object({
    dry_run: z.boolean(),
    matched: z.int(),
    truncated: z.boolean(),
    totals: z.object({ would_apply: z.int(), applied: z.int(), unchanged: z.int(), refused: z.int() }),
    rows: z.array(
      z.object({
        memory_key: z.string(),
        memory_id: z.string(),
        agent: z.string(),
        user_id: z.string(),
        session_id: z.string(),
        outcome: z.enum(['would_apply', 'applied', 'unchanged', 'refused']),
        code: z.string(),
        message: z.string(),
        excerpt: z.string(),
      }),
    ),
  }),
  errors: [],
  needsOneOf: ['keys', 'filter', 'search'],
})
