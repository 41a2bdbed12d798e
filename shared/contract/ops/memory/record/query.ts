import { z } from 'zod'
import { DateTimeIn, Str, id5, nextCursor, page } from '../../../common.ts'
import { declareOp } from '../../../declare.ts'
import { PredicateIn, RecordView, SchemaName } from '../../../record.ts'

export const memoryRecordQuery = declareOp({
  name: 'memory.record.query',
  group: 'records',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'search',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Finds typed records by predicate on their exact fields: equality, ranges, text, gaps.',
  input: z.object({
    ...id5,
    schema: SchemaName,
    where: PredicateIn,
    order_by: z
      .array(z.strictObject({ by: Str.min(1).max(200), dir: z.enum(['asc', 'desc']).default('asc') }))
      .max(3)
      .default([{ by: '$created_at', dir: 'desc' }]),
    as_of: DateTimeIn.optional().describe('The records as they were then.'),
    include_tombstoned: z.boolean().default(false),
    count: z.boolean().default(false).describe('Answer how many there are in all.'),
    ...page(50, 500),
  }),
  output: z.object({ records: z.array(RecordView), total: z.int().nullable(), ...nextCursor }),
  errors: ['NOT_FOUND', 'INVALID_CURSOR'],
  example: {
    input: {
      schema: 'ticket',
      where: {
        and: [{ status: { in: ['open', 'waiting'] }, amount: { gt: 10 } }, { not: { number: { starts_with: 'test' } } }],
      },
      order_by: [{ by: 'amount', dir: 'desc' }],
      limit: 20,
    },
  },
})
