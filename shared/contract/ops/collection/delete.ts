import { z } from 'zod'
import { Collection } from '../../knowledge.ts'
import { Name } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { requester } from '../../erasure.ts'
import { erasureRequest } from '../erasure/request.ts'

export const collectionDelete = declareOp({
  name: 'collection.delete',
  group: 'knowledge',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'named',
  rate: 'admin',
  sync: 'server',
  host: 'engine',
  identity: 'namespace',
  summary: 'Erases a collection of documents, originals and all, the way erasure.request erases a namespace.',
  input: z.object({
    org: Name.optional().describe('Organisation; filled from the token or the install.'),
    namespace: Name.optional().describe('Namespace; filled from the token or the install.'),
    collection: Collection,
    requester: requester.optional().describe('Who asks; left out, the caller.'),
    purge: z.boolean().default(false).describe('Delete the rows and their bytes, in place of stamping them.'),
  }),
  output: erasureRequest.output,
  errors: ['NOT_FOUND', 'IN_PROGRESS'],
})
