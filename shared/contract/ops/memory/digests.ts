import { z } from 'zod'
import { DateTime, DateTimeIn, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const DigestPeriod = z.enum(['day', 'week', 'month'])
export type DigestPeriod = z.infer<typeof DigestPeriod>

export const DigestCounts = z.object({ written: z.int(), revised: z.int(), retired: z.int(), deleted: z.int() })
export type DigestCounts = z.infer<typeof DigestCounts>

export const memoryDigests = declareOp({
  name: 'memory.digests',
  group: 'memory',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'named',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'What changed in a period, written up.',
  input: z.object({
    ...id5,
    period: DigestPeriod.default('week'),
    from: DateTimeIn.nullable().optional().describe('Periods that begin then or later.'),
    to: DateTimeIn.nullable().optional().describe('Periods that begin before.'),
    ...page(10, 100),
  }),
  output: z.object({
    digests: z.array(
      z.object({
        digest_id: z.string(),
        period: DigestPeriod,
        period_start: DateTime,
        period_end: DateTime,
        text: z.string(),
        memory_keys: z.array(z.string()),
        counts: DigestCounts,
        model: z.string(),
      }),
    ),
    ...nextCursor,
    degraded: z.array(z.string()),
  }),
  errors: ['INVALID_CURSOR'],
})
