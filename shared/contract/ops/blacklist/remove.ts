import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const blacklistRemove = declareOp({
  name: 'blacklist.remove',
  group: 'review',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'org',
  summary: 'Takes a pattern away. Rows that it retired stay retired; memory.restore brings them back.',
  input: z.object({ org: Name.optional(), blacklist_id: Str.min(1).max(64) }),
  output: z.object({ removed: z.boolean() }),
  errors: [],
})
