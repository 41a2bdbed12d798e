import { sql } from 'kysely'
import type { MessageView } from '../../contract/conversation.ts'
import type { ConversationHit } from '../../contract/ops/conversation/search.ts'
import { why } from '../../domain/search/why.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import type { IndexedDoc, SearchHit } from '../index/types.ts'
import { messagePage, messageView, messagesById, type Message } from '../store/messages.ts'
import { threadAt, type Thread } from '../store/threads.ts'
import { messageOf } from './conversation-shelf.ts'

export interface ConversationQuery {
  readonly query: string
  readonly threadId: string | undefined
  readonly role: string | undefined
  readonly since: string | undefined
  readonly until: string | undefined
  readonly topK: number
  /** Messages shown before and after each hit. */
  readonly context: number
}

export interface ConversationRanking {
  readonly hits: readonly ConversationHit[]
  /** Messages that the scope and the filters left. */
  readonly candidates: number
}

function accepts(input: ConversationQuery, { given, caller }: ReadContext): (doc: IndexedDoc) => boolean {
  const bound = boundOf(caller)
  const user = bound.user_id ?? given.user_id
  const session = bound.session_id ?? given.session_id
  const since = input.since === undefined ? -Infinity : Date.parse(input.since)
  const until = input.until === undefined ? Infinity : Date.parse(input.until)
  return (doc) =>
    (user === undefined || doc.userId === user) &&
    (given.agent === undefined || doc.agent === given.agent) &&
    // A thread is the index's session; under `runId` it has the session that a message was said in.
    (session === undefined || doc.runId === session) &&
    (input.threadId === undefined || doc.sessionId === input.threadId) &&
    (input.role === undefined || doc.memoryType === input.role) &&
    doc.createdAt >= since &&
    doc.createdAt < until
}

/** The messages next to one, in order. High ones stay out of what a search shows. */
async function around(
  thread: Thread,
  message: Message,
  count: number,
  { db }: ReadContext,
): Promise<{ before: MessageView[]; after: MessageView[] }> {
  if (count === 0) return { before: [], after: [] }
  const shown = sql<boolean>`sensitivity <> 'high'`
  const before = await messagePage(db, thread, [sql<boolean>`seq < ${message.seq}`, shown], 'desc', count)
  const after = await messagePage(db, thread, [sql<boolean>`seq > ${message.seq}`, shown], 'asc', count)
  return { before: before.reverse().map(messageView), after: after.map(messageView) }
}

/** Read back before it is served: what the index is late with shows nothing. */
async function viewOf(hit: SearchHit, namespace: string, input: ConversationQuery, context: ReadContext): Promise<ConversationHit | null> {
  const { userId, threadId, messageId } = messageOf(hit.memoryId)
  const thread = await threadAt(context.db, { org: context.identity.org, namespace, user_id: userId, thread_id: threadId })
  if (!thread || thread.tombstoned_at !== null) return null
  const message = (await messagesById(context.db, thread, [messageId])).get(messageId)
  if (!message || message.tombstoned_at !== null || message.sensitivity === 'high') return null
  return {
    thread_id: threadId,
    title: thread.title,
    message: messageView(message),
    ...(await around(thread, message, input.context, context)),
    score: hit.rankScore,
    why: why(hit),
  }
}

/** Messages of one namespace's conversations, ranked as turns of memory are: neighbours lend their words. */
export async function searchConversations(
  input: ConversationQuery,
  namespace: string,
  vector: Float32Array | null,
  context: ReadContext,
): Promise<ConversationRanking> {
  const { org } = context.identity
  const index = await context.parts.library.conversations.level(org, namespace)
  const outcome = index.search({
    org,
    namespaces: [namespace],
    text: input.query,
    vector,
    mode: 'hybrid',
    accept: accepts(input, context),
    limit: input.topK,
    keyMatch: false,
  })
  const hits: ConversationHit[] = []
  for (const hit of outcome.hits) {
    const view = hit.near ? await viewOf(hit, namespace, input, context) : null
    if (view) hits.push(view)
  }
  return { hits, candidates: outcome.candidates }
}
