import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { conversationGet as contract } from '../../../contract/ops/conversation/get.ts'
import { defineRead } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { messagePage, messageView } from '../../store/messages.ts'
import { findThread, threadView } from '../../store/threads.ts'

export const conversationGet = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, given } = context
  const { thread_id, after_seq, order } = input
  const list = listName(contract.name, identity.namespace, { thread_id, after_seq, order, ...given })
  const place = readPlace(list, input.cursor, ['version'])?.[0]
  const thread = await findThread(db, thread_id, context)
  if (!thread) return { found: false, messages: [], next_cursor: null }
  const beyond = place === undefined ? [] : [order === 'asc' ? sql<boolean>`seq > ${place}::int8` : sql<boolean>`seq < ${place}::int8`]
  const rows = await messagePage(db, thread, [sql<boolean>`seq > ${after_seq}`, ...beyond], order, input.limit + 1)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  const { messages, ...view } = threadView(thread)
  return {
    found: true,
    ...view,
    message_count: messages,
    messages: shown.map(messageView),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.seq.toString()]) : null,
  }
})
