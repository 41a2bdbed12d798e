import { z } from 'zod'
import { U64, id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const memoryResolveOrphanDuplicates = declareOp({
  name: 'memory.resolve_orphan_duplicates',
  group: 'review',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'bulk',
  sync: 'server',
  host: 'engine',
  identity: 'selector',
  summary: 'Re-activates duplicates whose canonical row is gone.',
  input: z.object({ ...id5, limit: z.int().min(1).max(10_000).default(1000), dry_run: z.boolean().default(false) }),
  output: z.object({
    reactivated: z.array(z.object({ memory_key: z.string(), memory_id: z.string(), version: U64, version_text: z.string() })).max(100),
    count: z.int(),
    truncated: z.boolean(),
    dry_run: z.boolean(),
  }),
  errors: [],
})
