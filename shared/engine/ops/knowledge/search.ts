import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { knowledgeSearch as contract } from '../../../contract/ops/knowledge/search.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { searchDocuments } from '../../library/search-documents.ts'
import { inScope, readableBy } from '../../store/documents.ts'
import { requireQuery, searchDegraded } from '../../read/search-answer.ts'
import { vectorsOf } from '../../write/embed.ts'

/** @throws LoomError NOT_FOUND naming the first collection that holds no document. */
async function requireCollections(collections: readonly string[], context: ReadContext): Promise<void> {
  if (collections.length === 0) return
  const { rows } = await sql<{ collection: string }>`SELECT DISTINCT d.collection FROM loom.knowledge_document d
    WHERE ${sql.join([...inScope({ ...context, given: {} }), readableBy(context.caller)], sql` AND `)}
      AND d.collection = any(${[...collections]}::text[])`.execute(context.db)
  const known = new Set(rows.map((row) => row.collection))
  const at = collections.findIndex((collection) => !known.has(collection))
  if (at >= 0)
    throw new LoomError('NOT_FOUND', `There is no collection ${collections[at]}. collection.list names those there are.`, {
      field: `collections[${at}]`,
    })
}

export const knowledgeSearch = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  requireQuery(input.query)
  await requireCollections(input.collections, context)
  const embedded = await vectorsOf([input.query], context)
  const {
    query,
    collections,
    tags = [],
    document_id: documentId,
    top_k: topK,
    per_document: perDocument,
    excerpt_chars: excerptChars,
  } = input
  const wanted = { query, collections, tags, documentId, topK, perDocument, excerptChars }
  const { hits, candidates } = await searchDocuments(wanted, context.identity.namespace, embedded?.vectors[0] ?? null, context)
  const none = candidates === 0 ? 'There is no document in this scope.' : 'Nothing in the documents is near this question.'
  return {
    results: [...hits],
    abstain: hits.length === 0,
    abstain_reason: hits.length === 0 ? none : '',
    degraded: searchDegraded(context),
  }
})
