import { z } from 'zod'
import { Str, Tags, id5, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Collection, DocumentFormat, DocumentView } from '../../knowledge.ts'

export const knowledgeList = declareOp({
  name: 'knowledge.list',
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
  summary: 'Lists documents, without their text.',
  input: z.object({
    ...id5,
    collection: Collection.optional(),
    tags: Tags.optional().describe('Documents with any of these.'),
    format: DocumentFormat.optional(),
    source_prefix: Str.max(1024).default(''),
    order: z.enum(['updated', 'title']).default('updated'),
    ...page(50, 500),
  }),
  output: z.object({ documents: z.array(DocumentView), total: z.int(), ...nextCursor }),
  errors: ['INVALID_CURSOR'],
})
