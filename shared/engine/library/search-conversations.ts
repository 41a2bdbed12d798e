import { sql } from 'kysely'
import type { MessageView } from '../../contract/conversation.ts'
import type { ConversationHit } from '../../contract/ops/conversation/search.ts'
import { why } from '../../domain/search/why.ts'
import type { ReadContext } from '../handler.ts'
import { boundOf } from '../identity.ts'
import type { IndexedDoc, SearchHit } from '../index/types.ts'
import { messagePage, messageView, shownMessages, type Message } from '../store/messages.ts'
import { messageName, messageOf } from './conversation-shelf.ts'

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
async function around(message: Message, count: number, { db }: ReadContext): Promise<{ before: MessageView[]; after: MessageView[] }> {
  if (count === 0) return { before: [], after: [] }
  const shown = sql<boolean>`sensitivity <> 'high'`
  const before = await messagePage(db, message, [sql<boolean>`seq < ${message.seq}`, shown], 'desc', count)
  const after = await messagePage(db, message, [sql<boolean>`seq > ${message.seq}`, shown], 'asc', count)
  return { before: before.reverse().map(messageView), after: after.map(messageView) }
}

/** Read back before they are served: what the index is late with shows nothing. */
async function viewsOf(
  near: readonly SearchHit[],
  namespace: string,
  input: ConversationQuery,
  context: ReadContext,
): Promise<ConversationHit[]> {
  const named = near.map((hit) => messageOf(hit.memoryId))
  const messages = await shownMessages(context.db, context.identity.org, namespace, named)
  const byName = new Map(messages.map((message) => [messageName(message), message]))
  const views: ConversationHit[] = []
  for (const hit of near) {
    const message = byName.get(hit.memoryId)
    if (!message) continue
    views.push({
      thread_id: message.thread_id,
      title: message.title,
      message: messageView(message),
      ...(await around(message, input.context, context)),
      score: hit.rankScore,
      why: why(hit),
    })
  }
  return views
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
  const near = outcome.hits.filter((hit) => hit.near)
  const hits = await viewsOf(near, namespace, input, context)
  return { hits, candidates: outcome.candidates }
}
