import { sql } from 'kysely'
import { piecesOf } from '../../domain/knowledge/chunks.ts'
import type { Reader } from '../db/database.ts'
import { decodeHalfvec } from '../db/vector-bytes.ts'
import type { IndexedRow } from '../index/types.ts'
import type { Shelf } from './level-index.ts'

/** A sign that no identity has: what is joined by it is told apart again. */
const JOINT = '\n'

/** Name of a thread among its namespace's: whose it is, and its id. */
export const threadName = (userId: string, threadId: string): string => `${userId}${JOINT}${threadId}`
/** Name of a message in the index. */
export const messageName = (row: { user_id: string; thread_id: string; message_id: string }): string =>
  `${threadName(row.user_id, row.thread_id)}${JOINT}${row.message_id}`

export function messageOf(name: string): { readonly userId: string; readonly threadId: string; readonly messageId: string } {
  const [userId = '', threadId = '', ...id] = name.split(JOINT)
  return { userId, threadId, messageId: id.join(JOINT) }
}

interface MessageRow {
  readonly user_id: string
  readonly thread_id: string
  readonly message_id: string
  readonly seq: bigint
  readonly role: string
  readonly name: string
  readonly content: string
  readonly at: Date
  readonly agent: string
  readonly session_id: string
  readonly bytes: Uint8Array | null
}

/** What of a message its vector stands for; the rest of a long one is found by its words. */
export function embeddedMessage({ name, content }: { readonly name: string; readonly content: string }): string {
  const first = piecesOf(content, { from: 0, to: content.length })[0]
  const text = first ? content.slice(first.from, first.to) : content
  return name === '' ? text : `${name}: ${text}`
}

function rowOf(org: string, namespace: string, row: MessageRow): IndexedRow {
  const pieces = piecesOf(row.content, { from: 0, to: row.content.length })
  return {
    memoryId: messageName(row),
    org,
    namespace,
    agent: row.agent,
    userId: row.user_id,
    // Turns of one thread lend each other their words.
    sessionId: row.thread_id,
    runId: row.session_id,
    memoryKey: '',
    memoryType: row.role,
    status: 'active',
    sourceClass: '',
    confidence: 1,
    pinned: false,
    version: row.seq,
    createdAt: row.at.getTime(),
    updatedAt: row.at.getTime(),
    validAt: null,
    validTo: null,
    expiresAt: null,
    tags: [],
    entities: [],
    actor: row.role,
    text: embeddedMessage(row),
    keyIndexed: false,
    chunks: pieces.slice(1).map(({ from, to }) => row.content.slice(from, to)),
    position: Number(row.seq),
    searchable: true,
    valueVector: row.bytes && decodeHalfvec(row.bytes),
    keyVector: null,
  }
}

/** Saved conversations by their messages; those of high sensitivity are not found. */
export const conversationShelf: Shelf = {
  async fingerprint(db, org, namespace) {
    const { rows } = await sql<{
      mark: string
    }>`SELECT count(*) || '/' || coalesce(max(t.index_rev), 0) || '/' || coalesce(sum(t.index_rev), 0) AS mark
      FROM loom.conversation_thread t WHERE t.org = ${org} AND t.namespace = ${namespace} AND t.tombstoned_at IS NULL`.execute(db)
    return rows[0]?.mark ?? ''
  },
  async revisions(db, org, namespace) {
    const { rows } = await sql<{ user_id: string; thread_id: string; index_rev: bigint }>`SELECT t.user_id, t.thread_id, t.index_rev
      FROM loom.conversation_thread t WHERE t.org = ${org} AND t.namespace = ${namespace} AND t.tombstoned_at IS NULL`.execute(db)
    return new Map(rows.map((row) => [threadName(row.user_id, row.thread_id), row.index_rev]))
  },
  async passages(db: Reader, org, namespace, ids, model) {
    const named = ids.map(messageOf)
    const { rows } =
      await sql<MessageRow>`SELECT m.user_id, m.thread_id, m.message_id, m.seq, m.role, m.name, m.content, m.at, m.agent, m.session_id,
        halfvec_send(e.vec) AS bytes
      FROM unnest(${named.map((one) => one.userId)}::text[], ${named.map((one) => one.threadId)}::text[]) AS w(user_id, thread_id)
      JOIN loom.conversation_message m ON m.org = ${org} AND m.namespace = ${namespace} AND m.thread_id = w.thread_id AND m.user_id = w.user_id
        AND m.tombstoned_at IS NULL AND m.sensitivity <> 'high'
      LEFT JOIN loom.conversation_embedding e ON e.org = m.org AND e.namespace = m.namespace AND e.thread_id = m.thread_id
        AND e.user_id = m.user_id AND e.message_id = m.message_id AND e.model = ${model}
      ORDER BY m.seq`.execute(db)
    const byThread = new Map<string, IndexedRow[]>()
    for (const row of rows) {
      const name = threadName(row.user_id, row.thread_id)
      const passages = byThread.get(name) ?? []
      passages.push(rowOf(org, namespace, row))
      byThread.set(name, passages)
    }
    return byThread
  },
}
