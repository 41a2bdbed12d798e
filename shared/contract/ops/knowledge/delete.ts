import { z } from 'zod'
import { id5 } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Sha256In, documentAt } from '../../knowledge.ts'

export const knowledgeDelete = declareOp({
  name: 'knowledge.delete',
  group: 'knowledge',
  kind: 'write',
  role: 'writer',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'write',
  sync: 'replay',
  host: 'engine',
  identity: 'resolve',
  summary: 'Deletes a document: it is out of every read at once. Adding its key again makes a new version of it.',
  input: z.object({ ...id5, ...documentAt, if_match_sha256: Sha256In.optional() }),
  output: z.object({ found: z.boolean(), deleted: z.boolean(), chunks_removed: z.int() }),
  errors: ['PRECONDITION_FAILED', 'AMBIGUOUS_KEY'],
  needsOneOf: ['document_id', 'document_key'],
})
