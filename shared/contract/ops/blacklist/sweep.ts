import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const blacklistSweep = declareOp({
  name: 'blacklist.sweep',
  group: 'review',
  kind: 'write',
  role: 'writer',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'bulk',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: 'Retires the rows that match a pattern already, whoever wrote them. Locked rows are left.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    blacklist_id: Str.min(1).max(64).optional().describe('Every pattern that binds the namespace, when left out.'),
    limit: z.int().min(1).max(10_000).default(1000),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    matched: z.int(),
    swept: z.int(),
    skipped_locked: z.int(),
    swept_truncated: z.boolean(),
    sweep_error: z.string(),
    examples: z.array(z.object({ memory_key: z.string(), memory_id: z.string(), namespace: z.string(), blacklist_id: z.string() })).max(20),
    dry_run: z.boolean(),
  }),
  errors: ['NOT_FOUND'],
})
