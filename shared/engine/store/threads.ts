import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { ThreadView } from '../../contract/conversation.ts'
import { parseJson } from '../../contract/json.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { CallContext } from '../handler.ts'
import type { Identity } from '../identity.ts'
import { MOST_CANDIDATES, severalNamed } from './resolve.ts'
import { iso } from './row-view.ts'
import { seenBy } from './runs.ts'

export type Thread = Selectable<Tables['conversation_thread']>
export type ThreadPlace = Pick<Identity, 'org' | 'namespace' | 'user_id'> & { readonly thread_id: string }

export const threadLock = ({ org, namespace, user_id, thread_id }: ThreadPlace): string =>
  `thread:${org}/${namespace}/${user_id}/${thread_id}`

/** Condition on rows of one thread, by the columns of its key. */
export function ofThread({ org, namespace, user_id, thread_id }: ThreadPlace): RawBuilder<boolean> {
  return sql<boolean>`(org = ${org} AND namespace = ${namespace} AND thread_id = ${thread_id} AND user_id = ${user_id})`
}

/** The thread at a place, deleted or not: its sequence goes on. */
export async function threadAt(db: Queryable, place: ThreadPlace): Promise<Thread | null> {
  const { rows } = await sql<Thread>`SELECT * FROM loom.conversation_thread WHERE ${ofThread(place)} AND org = ${place.org}`.execute(db)
  return rows[0] ?? null
}

/** Live threads of the namespace that the token may see and the fields of the call leave, over `t`. */
export function threadsInScope({ identity, given, caller }: Pick<CallContext, 'identity' | 'given' | 'caller'>): RawBuilder<boolean>[] {
  const { agent, user_id, session_id } = given
  const named = Object.entries({ agent, user_id, session_id }).filter(([, value]) => value !== undefined)
  return [
    sql<boolean>`t.org = ${identity.org}`,
    sql<boolean>`t.namespace = ${identity.namespace}`,
    sql<boolean>`t.tombstoned_at IS NULL`,
    seenBy(caller, 't'),
    ...named.map(([field, value]) => sql<boolean>`${sql.ref(`t.${field}`)} = ${value}`),
  ]
}

/**
 * The thread that a call names, or null.
 * @throws LoomError AMBIGUOUS_KEY where several users have one of that id
 */
export async function findThread(db: Queryable, threadId: string, context: CallContext): Promise<Thread | null> {
  const conditions = [...threadsInScope(context), sql<boolean>`t.thread_id = ${threadId}`]
  const { rows } = await sql<Thread>`SELECT t.* FROM loom.conversation_thread t WHERE ${sql.join(conditions, sql` AND `)}
    ORDER BY t.user_id LIMIT ${MOST_CANDIDATES + 1}`.execute(db)
  if (rows.length <= 1) return rows[0] ?? null
  throw severalNamed(`${rows.length} users have a thread ${threadId}. Name user_id.`, rows, ['thread_id'])
}

/** Puts a thread in place; its counts are those of its live messages. */
export async function putThread(
  tx: Tx,
  thread: Omit<Thread, 'rev' | 'index_rev' | 'erasure_seq' | 'messages' | 'first_at' | 'last_at'>,
): Promise<void> {
  const { org: _org, namespace: _namespace, user_id: _user, thread_id: _id, created_at, ...changes } = thread
  await tx
    .insertInto('conversation_thread')
    .values({ ...thread, messages: 0, first_at: null, last_at: null })
    .onConflict((conflict) =>
      conflict.columns(['org', 'namespace', 'thread_id', 'user_id']).doUpdateSet({
        ...changes,
        created_at,
        rev: sql<bigint>`conversation_thread.rev + 1`,
        index_rev: sql<bigint>`nextval('loom.index_rev')`,
      }),
    )
    .execute()
  await countMessages(tx, thread)
}

/** After messages of a thread came or went. */
export async function countMessages(tx: Tx, place: ThreadPlace): Promise<void> {
  await sql`UPDATE loom.conversation_thread SET messages = c.messages, first_at = c.first_at, last_at = c.last_at, index_rev = nextval('loom.index_rev')
    FROM (SELECT count(*)::int AS messages, min(at) AS first_at, max(at) AS last_at FROM loom.conversation_message
      WHERE ${ofThread(place)} AND org = ${place.org} AND tombstoned_at IS NULL) AS c
    WHERE ${ofThread(place)} AND org = ${place.org}`.execute(tx)
}

export function threadView(thread: Thread): ThreadView {
  const { thread_id, title, messages, agent, user_id, session_id, actor, created_at } = thread
  return {
    thread_id,
    title,
    metadata: parseJson(thread.metadata) as Json,
    sensitivity: thread.sensitivity as ThreadView['sensitivity'],
    messages,
    first_at: iso(thread.first_at),
    last_at: iso(thread.last_at),
    agent,
    user_id,
    session_id,
    actor,
    created_at: created_at.toISOString(),
  }
}
