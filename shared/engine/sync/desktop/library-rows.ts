import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { ShapeName } from '../../shapes/definitions.ts'
import { addChunks, chunksOfDocument, dropChunks, outlinedChunks, type ChunkRow, type NewChunk } from '../../store/document-chunks.ts'
import { textOf, type ShapeRow } from './rows.ts'

/** More chunks than the longest document has. */
const ALL = 2_000_000_000

function areSame(have: readonly ChunkRow[], made: readonly NewChunk[]): boolean {
  return (
    have.length === made.length &&
    have.every((row, at) => {
      const chunk = made[at]
      return (
        chunk !== undefined &&
        row.text === chunk.text &&
        row.sensitivity === chunk.sensitivity &&
        row.section.join('\n') === chunk.section.join('\n')
      )
    })
  )
}

/** Cuts a document as its outline says; the same chunks keep their vectors, and another file's original goes. */
async function followDocument(tx: Tx, org: string, documentId: string): Promise<void> {
  const { rows } = await sql<{ text: string; outline: string; tombstoned: boolean }>`UPDATE loom.knowledge_document
    SET index_rev = nextval('loom.index_rev') WHERE org = ${org} AND document_id = ${documentId}
    RETURNING text, outline, tombstoned_at IS NOT NULL AS tombstoned`.execute(tx)
  const document = rows[0]
  if (!document) {
    await dropChunks(tx, org, documentId)
    return
  }
  const made = outlinedChunks(document.text, document.outline)
  if (areSame(await chunksOfDocument(tx, org, documentId, [], 0, ALL), made)) return
  await sql`UPDATE loom.knowledge_document SET object = '' WHERE org = ${org} AND document_id = ${documentId}`.execute(tx)
  await dropChunks(tx, org, documentId)
  await addChunks(tx, org, documentId, made)
}

/** What is computed of documents and conversations follows what came, changed and went. */
export async function followLibrary(tx: Tx, org: string, name: ShapeName, rows: readonly ShapeRow[]): Promise<void> {
  if (name === 'documents') for (const id of new Set(rows.map((row) => textOf(row['document_id'])))) await followDocument(tx, org, id)
  if (name !== 'threads' && name !== 'messages') return
  const places = JSON.stringify(rows.map(({ namespace, thread_id, user_id }) => ({ namespace, thread_id, user_id })))
  await sql`UPDATE loom.conversation_thread t SET index_rev = nextval('loom.index_rev')
    FROM json_to_recordset(${places}::json) AS n(namespace text, thread_id text, user_id text)
    WHERE t.org = ${org} AND t.namespace = n.namespace AND t.thread_id = n.thread_id AND t.user_id = n.user_id`.execute(tx)
  await sql`DELETE FROM loom.conversation_embedding e USING json_to_recordset(${places}::json) AS n(namespace text, thread_id text, user_id text)
    WHERE e.org = ${org} AND e.namespace = n.namespace AND e.thread_id = n.thread_id AND e.user_id = n.user_id AND NOT EXISTS (SELECT 1
      FROM loom.conversation_message m WHERE m.org = e.org AND m.namespace = e.namespace AND m.thread_id = e.thread_id AND m.user_id = e.user_id
        AND m.message_id = e.message_id AND m.tombstoned_at IS NULL AND m.sensitivity <> 'high')`.execute(tx)
}
