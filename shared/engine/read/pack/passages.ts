import type { ReadContext } from '../../handler.ts'
import { searchConversations } from '../../library/search-conversations.ts'
import { searchDocuments } from '../../library/search-documents.ts'
import { vectorsOf } from '../../write/embed.ts'
import { wantedSections, type PackCall } from './candidates.ts'
import type { Item } from './items.ts'

const MOST = 10
const OF_DOCUMENT = 2
const PASSAGE = 1200
const MESSAGE = 600

export interface Passages {
  readonly documents: readonly Item[]
  readonly conversations: readonly Item[]
}

/** Passages of documents and messages of conversations that are near a task. */
export async function passagesNear(call: PackCall, context: ReadContext): Promise<Passages> {
  const wanted = wantedSections(call)
  const has = { documents: wanted.has('documents'), conversations: wanted.has('conversations') }
  if (call.mode !== 'task' || (!has.documents && !has.conversations)) return { documents: [], conversations: [] }
  const vector = (await vectorsOf([call.query], context))?.vectors[0] ?? null
  const { namespace } = context.identity
  const { query } = call
  const documents = has.documents
    ? await searchDocuments(
        { query, collections: [], tags: [], documentId: undefined, topK: MOST, perDocument: OF_DOCUMENT, excerptChars: PASSAGE },
        namespace,
        vector,
        context,
      )
    : { hits: [] }
  const conversations = has.conversations
    ? await searchConversations(
        { query, threadId: undefined, role: undefined, since: undefined, until: undefined, topK: MOST, context: 0 },
        namespace,
        vector,
        context,
      )
    : { hits: [] }
  const none = { memory_id: '', flags: [] }
  return {
    documents: documents.hits.map((hit) => ({
      ...none,
      ref: hit.document_key,
      kind: 'document',
      title: [...new Set([hit.title, ...hit.section])].filter((part) => part !== '').join(' › '),
      text: hit.excerpt,
      at: hit.updated_at,
      why: hit.why,
    })),
    conversations: conversations.hits.map(({ thread_id: thread, title, message, why }) => ({
      ...none,
      ref: thread,
      kind: 'conversation',
      title: title === '' ? thread : title,
      text: `${message.name === '' ? message.role : message.name}: ${message.content.slice(0, MESSAGE)}`,
      at: message.at,
      why,
    })),
  }
}
