import { z } from 'zod'
import { MemoryKey, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Pair, PairOrigin } from '../../pair.ts'

export const conflictsList = declareOp({
  name: 'conflicts.list',
  group: 'review',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Contradictions that nobody has settled, newest first, sure or not.',
  input: z.object({
    ...id5,
    memory_key: MemoryKey.optional().describe('Key of either side.'),
    state: z.enum(['open', 'settled', 'all']).default('open').describe('all: stale ones too.'),
    origin: PairOrigin.optional(),
    ...page(50, 200),
  }),
  output: z.object({ pairs: z.array(Pair), total: z.int(), ...nextCursor }),
  errors: ['INVALID_CURSOR'],
})
