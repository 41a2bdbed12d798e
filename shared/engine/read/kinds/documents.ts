import type { FoundResult } from '../../../contract/ops/search.ts'
import { searchDocuments } from '../../library/search-documents.ts'
import { MOST_OF_KIND, opening, type KindSearch } from './kind-search.ts'

const EXCERPT = 300

/** Each document by its best passage. */
export const findDocuments: KindSearch = async ({ call, namespaces, vector }, context) => {
  const wanted = {
    query: call.query,
    collections: [],
    tags: call.tags ?? [],
    documentId: undefined,
    topK: MOST_OF_KIND,
    perDocument: 1,
    excerptChars: EXCERPT,
  }
  const found: FoundResult[] = []
  for (const namespace of namespaces) {
    const { hits } = await searchDocuments(wanted, namespace, vector, context)
    for (const hit of hits) {
      found.push({
        kind: 'knowledge',
        ref: hit.document_key,
        id: hit.document_id,
        title: [hit.title, ...hit.section].filter((part, at, all) => part !== '' && all.indexOf(part) === at).join(' › '),
        excerpt: hit.excerpt,
        score: hit.score,
        why: hit.why,
        namespace,
        at: hit.updated_at,
        open: opening('knowledge.get', { document_id: hit.document_id }, namespace, context),
        hit: null,
      })
    }
  }
  return found
}
