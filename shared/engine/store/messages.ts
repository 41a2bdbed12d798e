import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import type { MessageView } from '../../contract/conversation.ts'
import { parseJson } from '../../contract/json.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { ofThread, type ThreadPlace } from './threads.ts'

export type Message = Selectable<Tables['conversation_message']>
export type NewMessage = Insertable<Tables['conversation_message']>

const BATCH = 100

/** Messages of a thread by their ids, deleted ones too. */
export async function messagesById(db: Queryable, place: ThreadPlace, ids: readonly string[]): Promise<Map<string, Message>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<Message>`SELECT * FROM loom.conversation_message WHERE ${ofThread(place)} AND org = ${place.org}
    AND message_id = any(${[...ids]}::text[])`.execute(db)
  return new Map(rows.map((row) => [row.message_id, row]))
}

/** A message with the title of its thread. */
export type TitledMessage = Message & { readonly title: string }

/** Messages of a namespace, of any threads, as far as a search may show them: live, in a live thread, and not high. */
export async function shownMessages(
  db: Queryable,
  org: string,
  namespace: string,
  named: readonly { readonly userId: string; readonly threadId: string; readonly messageId: string }[],
): Promise<TitledMessage[]> {
  if (named.length === 0) return []
  const column = (field: 'userId' | 'threadId' | 'messageId'): string[] => named.map((one) => one[field])
  const { rows } = await sql<TitledMessage>`SELECT m.*, t.title
    FROM unnest(${column('userId')}::text[], ${column('threadId')}::text[], ${column('messageId')}::text[]) AS w(user_id, thread_id, message_id)
    JOIN loom.conversation_thread t ON t.org = ${org} AND t.namespace = ${namespace} AND t.thread_id = w.thread_id AND t.user_id = w.user_id
    JOIN loom.conversation_message m ON m.org = t.org AND m.namespace = t.namespace AND m.thread_id = t.thread_id AND m.user_id = t.user_id
      AND m.message_id = w.message_id
    WHERE t.tombstoned_at IS NULL AND m.tombstoned_at IS NULL AND m.sensitivity <> 'high'`.execute(db)
  return rows
}

/** Adds messages; an id that a deleted one had is a new message under it. */
export async function addMessages(tx: Tx, place: ThreadPlace, messages: readonly NewMessage[]): Promise<void> {
  for (let from = 0; from < messages.length; from += BATCH) {
    const batch = messages.slice(from, from + BATCH)
    await sql`DELETE FROM loom.conversation_message WHERE ${ofThread(place)} AND org = ${place.org} AND tombstoned_at IS NOT NULL
      AND message_id = any(${batch.map((message) => message.message_id)}::text[])`.execute(tx)
    await tx.insertInto('conversation_message').values(batch).execute()
  }
}

/** Live messages of a thread in order; `conditions` over its columns. */
export async function messagePage(
  db: Queryable,
  place: ThreadPlace,
  conditions: readonly RawBuilder<boolean>[],
  order: 'asc' | 'desc',
  limit: number,
): Promise<Message[]> {
  const where = sql.join(
    [ofThread(place), sql<boolean>`org = ${place.org}`, sql<boolean>`tombstoned_at IS NULL`, ...conditions],
    sql` AND `,
  )
  const { rows } = await sql<Message>`SELECT * FROM loom.conversation_message WHERE ${where}
    ORDER BY seq ${sql.raw(order === 'asc' ? 'ASC' : 'DESC')}, message_id LIMIT ${limit}`.execute(db)
  return rows
}

/** Deletes messages of a thread (null: all of it), and what was computed of them. Answers how many. */
export async function tombstoneMessages(tx: Tx, place: ThreadPlace, ids: readonly string[] | null, now: Date): Promise<number> {
  const which = ids === null ? sql`` : sql`AND message_id = any(${[...ids]}::text[])`
  const { rows } = await sql<{ message_id: string }>`UPDATE loom.conversation_message SET tombstoned_at = ${now}, rev = rev + 1
    WHERE ${ofThread(place)} AND org = ${place.org} AND tombstoned_at IS NULL ${which} RETURNING message_id`.execute(tx)
  await dropVectors(
    tx,
    place,
    rows.map((row) => row.message_id),
  )
  return rows.length
}

export async function dropVectors(tx: Tx, place: ThreadPlace, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`DELETE FROM loom.conversation_embedding WHERE ${ofThread(place)} AND org = ${place.org}
    AND message_id = any(${[...ids]}::text[])`.execute(tx)
}

/** The level of each message, after that of its thread was changed; what is high now loses its vectors. */
export async function raiseMessages(tx: Tx, place: ThreadPlace, level: string): Promise<void> {
  await sql`UPDATE loom.conversation_message SET rev = rev + 1, sensitivity = CASE
      WHEN ${level} = 'high' OR own_sensitivity = 'high' THEN 'high' WHEN ${level} = 'medium' OR own_sensitivity = 'medium' THEN 'medium'
      WHEN ${level} = 'low' OR own_sensitivity = 'low' THEN 'low' ELSE '' END
    WHERE ${ofThread(place)} AND org = ${place.org}`.execute(tx)
  if (level === 'high') await sql`DELETE FROM loom.conversation_embedding WHERE ${ofThread(place)} AND org = ${place.org}`.execute(tx)
}

export function messageView(message: Message): MessageView {
  const { message_id, seq, name, content, at, run_id, agent, actor } = message
  return {
    message_id,
    seq: Number(seq),
    role: message.role as MessageView['role'],
    name,
    content,
    at: at.toISOString(),
    sensitivity: message.sensitivity as MessageView['sensitivity'],
    metadata: parseJson(message.metadata) as Json,
    run_id,
    agent,
    actor,
  }
}
