import type { KnowledgeHit } from '../../contract/ops/knowledge/search.ts'
import { queryTerms } from '../../domain/search/analyser.ts'
import { excerpt } from '../../domain/search/excerpt.ts'
import { why } from '../../domain/search/why.ts'
import { fold } from '../../domain/text/fold.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import type { IndexedDoc, SearchHit } from '../index/types.ts'
import { chunksByPassage } from '../store/document-chunks.ts'
import { documentsById } from '../store/documents.ts'
import { chunkOf, passageOf } from './document-shelf.ts'

export interface DocumentQuery {
  readonly query: string
  /** None: all of them. */
  readonly collections: readonly string[]
  readonly tags: readonly string[]
  readonly documentId: string | undefined
  readonly topK: number
  readonly perDocument: number
  readonly excerptChars: number
}

export interface DocumentRanking {
  readonly hits: readonly KnowledgeHit[]
  /** Chunks that the scope and the filters left. */
  readonly candidates: number
}

/** Ranked beyond what is asked for, since a document may have many of the best passages. */
const RANKED_MORE = 4

function accepts(input: DocumentQuery, { given, caller }: ReadContext): (doc: IndexedDoc) => boolean {
  const tags = new Set(input.tags.map(fold))
  const collections = new Set(input.collections)
  const bound = boundOf(caller)
  const prefix = input.documentId === undefined ? null : passageOf(input.documentId, 0).slice(0, -1)
  return (doc) =>
    (bound.user_id === undefined || doc.userId === bound.user_id || doc.userId === '-') &&
    (given.user_id === undefined || doc.userId === given.user_id) &&
    (given.agent === undefined || doc.agent === given.agent) &&
    // Under `memoryType` the index has the collection.
    (collections.size === 0 || collections.has(doc.memoryType)) &&
    (tags.size === 0 || doc.tags.some((tag) => tags.has(fold(tag)))) &&
    (prefix === null || doc.memoryId.startsWith(prefix))
}

/** The best passages that are near, at most so many of one document. */
function select(hits: readonly SearchHit[], perDocument: number): SearchHit[] {
  const taken = new Map<string, number>()
  return hits.filter((hit) => {
    if (!hit.near) return false
    const { documentId } = chunkOf(hit.memoryId)
    const count = (taken.get(documentId) ?? 0) + 1
    taken.set(documentId, count)
    return count <= perDocument
  })
}

/** Passages of one namespace's documents, ranked as memories are: by words and by meaning. */
export async function searchDocuments(
  input: DocumentQuery,
  namespace: string,
  vector: Float32Array | null,
  context: ReadContext,
): Promise<DocumentRanking> {
  const { db, identity, parts, given, caller } = context
  const { org } = identity
  const index = await parts.library.documents.level(org, namespace)
  const outcome = index.search({
    org,
    namespaces: [namespace],
    text: input.query,
    vector,
    mode: 'hybrid',
    accept: accepts(input, context),
    limit: Math.max(input.topK * RANKED_MORE, input.topK * input.perDocument),
    keyMatch: true,
  })
  const ranked = select(outcome.hits, input.perDocument)
  // A hit is read back before it is served: what the index is late with shows nothing.
  const documents = await documentsById(db, org, [...new Set(ranked.map((hit) => chunkOf(hit.memoryId).documentId))])
  const session = given.session_id ?? boundOf(caller).session_id
  const live = ranked
    .filter((hit) => {
      const document = documents.get(chunkOf(hit.memoryId).documentId)
      return document !== undefined && (session === undefined || document.session_id === session || document.user_id === '-')
    })
    .slice(0, input.topK)
  const chunks = await chunksByPassage(
    db,
    org,
    live.map((hit) => chunkOf(hit.memoryId)),
  )
  const terms = queryTerms(input.query)
  const hits = live.flatMap((hit): KnowledgeHit[] => {
    const { documentId, chunk } = chunkOf(hit.memoryId)
    const document = documents.get(documentId)
    const row = chunks.get(hit.memoryId)
    if (!document || !row || row.sensitivity === 'high') return []
    const { document_id, document_key, collection, title, source, updated_at } = document
    return [
      {
        document_id,
        document_key,
        collection,
        title,
        section: row.section,
        page: row.page,
        lines: row.line_from === null || row.line_to === null ? null : { from: row.line_from, to: row.line_to },
        chunk,
        excerpt: excerpt(row.text, terms, input.excerptChars),
        score: hit.rankScore,
        // The key of a passage in the index is its heading.
        why: why(hit).map((reason) => reason.replace(/^key: /, 'heading: ')),
        source,
        updated_at: updated_at.toISOString(),
      },
    ]
  })
  return { hits, candidates: outcome.candidates }
}
