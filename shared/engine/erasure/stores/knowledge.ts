import { sql } from 'kysely'
import { before, ofOrg, placed, unstamped, type Condition, type Scope } from '../scope.ts'
import { rows, type Store } from '../store.ts'

/** Documents with their chunks and vectors, records, and saved conversations. */

/** Documents of the scope, over an alias of their table. */
export const documentsIn = (t: string, scope: Scope): Condition =>
  sql<boolean>`(${placed(t, scope)} AND ${before(t, scope)} AND ${unstamped(t, scope)}
    AND (${scope.collection} = '' OR ${sql.ref(`${t}.collection`)} = ${scope.collection}))`

/** Parts of a document that is gone or stamped, or about to be. */
const parts = (scope: Scope): Condition => sql<boolean>`(${ofOrg('t', scope)} AND ${unstamped('t', scope)} AND NOT EXISTS (SELECT 1
  FROM loom.knowledge_document d WHERE d.org = ${scope.org} AND d.document_id = t.document_id AND NOT ${documentsIn('d', scope)} ${scope.purge ? sql`` : sql`AND d.erased_by = ''`}))`

const said = (scope: Scope): Condition => sql<boolean>`(${placed('t', scope)} AND ${before('t', scope)})`

/** Vectors of messages of the scope, and any whose message is gone. */
const voiced = (scope: Scope): Condition => sql<boolean>`(${placed('t', scope)} AND (${before('t', scope)} OR NOT EXISTS (SELECT 1
  FROM loom.conversation_message m WHERE m.org = t.org AND m.namespace = t.namespace AND m.thread_id = t.thread_id AND m.user_id = t.user_id
    AND m.message_id = t.message_id)))`

export const KNOWLEDGE_STORES: readonly Store[] = [
  rows('delete.knowledge', 'knowledge_document', (scope) => documentsIn('t', scope), { stamped: true, collections: true }),
  rows('delete.knowledge', 'knowledge_chunk', parts, { stamped: true, collections: true }),
  rows('delete.knowledge', 'knowledge_embedding', parts, { stamped: true, collections: true }),
  rows('delete.records', 'memory_record', said),
  rows('delete.records', 'memory_record_version', said),
  rows('delete.conversations', 'conversation_thread', said),
  rows('delete.conversations', 'conversation_message', said),
  rows('delete.conversations', 'conversation_embedding', voiced),
  rows('delete.conversations', 'extract_queue', said),
]
