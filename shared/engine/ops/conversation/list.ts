import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { conversationList as contract } from '../../../contract/ops/conversation/list.ts'
import { defineRead } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { threadView, threadsInScope, type Thread } from '../../store/threads.ts'

/** Of a thread without a message, when it was made. */
const LAST = sql`coalesce(t.last_at, t.created_at)`

export const conversationList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, given } = context
  const { since, until, run_id } = input
  const list = listName(contract.name, identity.namespace, { since, until, run_id, ...given })
  const place = readPlace(list, input.cursor, ['time', 'text', 'text'])
  const conditions = [
    ...threadsInScope(context),
    ...(since === undefined ? [] : [sql<boolean>`${LAST} >= ${since}::timestamptz`]),
    ...(until === undefined ? [] : [sql<boolean>`${LAST} < ${until}::timestamptz`]),
    ...(run_id === undefined
      ? []
      : [
          sql<boolean>`EXISTS (SELECT 1 FROM loom.conversation_message m WHERE m.org = t.org AND m.namespace = t.namespace AND m.thread_id = t.thread_id
            AND m.user_id = t.user_id AND m.run_id <> '' AND m.run_id = ${run_id} AND m.tombstoned_at IS NULL)`,
        ]),
    ...(place ? [sql<boolean>`(${LAST}, t.thread_id, t.user_id) < (${place[0]}::timestamptz, ${place[1]}, ${place[2]})`] : []),
  ]
  const { rows } = await sql<Thread>`SELECT t.* FROM loom.conversation_thread t WHERE ${sql.join(conditions, sql` AND `)}
    ORDER BY ${LAST} DESC, t.thread_id DESC, t.user_id DESC LIMIT ${input.limit + 1}`.execute(db)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  return {
    threads: shown.map(threadView),
    next_cursor:
      rows.length > input.limit && last
        ? writeCursor(list, [(last.last_at ?? last.created_at).toISOString(), last.thread_id, last.user_id])
        : null,
  }
})
