import { z } from 'zod'
import { id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Side } from '../../pair.ts'

export const memoryDedupCollapse = declareOp({
  name: 'memory.dedup_collapse',
  group: 'review',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'bulk',
  sync: 'local',
  host: 'engine',
  identity: 'selector',
  summary: 'Shows rows that say the same as one search result. Changes no row.',
  input: z.object({
    ...id5,
    expand: z.boolean().default(false).describe('Undoes every collapse in the selection.'),
    limit: z.int().min(1).max(10_000).default(1000).describe('Groups.'),
    dry_run: z.boolean().default(false),
  }),
  output: z.object({
    groups: z.array(z.object({ canonical: Side, members: z.array(z.object({ memory_key: z.string(), memory_id: z.string() })) })).max(100),
    collapsed: z.int(),
    expanded: z.int(),
    truncated: z.boolean(),
    dry_run: z.boolean(),
  }),
  errors: [],
})
