import { z } from 'zod'
import { DateTime, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const collectionList = declareOp({
  name: 'collection.list',
  group: 'knowledge',
  kind: 'read',
  role: 'viewer',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'engine',
  identity: 'selector',
  summary: 'Lists the collections of documents, by name, with what each holds.',
  input: z.object({ ...id5, ...page(100, 500) }),
  output: z.object({
    collections: z.array(z.object({ collection: z.string(), documents: z.int(), chunks: z.int(), chars: z.int(), updated_at: DateTime })),
    ...nextCursor,
  }),
  errors: ['INVALID_CURSOR'],
})
