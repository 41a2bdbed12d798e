import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const reviewDismiss = declareOp({
  name: 'review.dismiss',
  group: 'review',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'namespace',
  summary: 'Marks an unsure finding of the review queue as seen, or opens it again. Changes no memory.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    item_id: Str.min(1).max(200),
    restore: z.boolean().default(false).describe('Puts it back.'),
  }),
  output: z.object({ found: z.boolean(), dismissed: z.boolean() }),
  errors: [],
})
