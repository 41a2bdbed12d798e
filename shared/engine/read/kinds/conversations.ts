import type { FoundResult } from '../../../contract/ops/search.ts'
import { searchConversations } from '../../library/search-conversations.ts'
import { MOST_OF_KIND, opening, type KindSearch } from './kind-search.ts'

/** Each thread by its best message. A message has no tags: a search by tags finds none. */
export const findConversations: KindSearch = async ({ call, namespaces, vector }, context) => {
  if (call.tags !== undefined && call.tags.length > 0) return []
  const wanted = {
    query: call.query,
    threadId: undefined,
    role: undefined,
    since: undefined,
    until: undefined,
    topK: MOST_OF_KIND,
    context: 0,
  }
  const found: FoundResult[] = []
  for (const namespace of namespaces) {
    const { hits } = await searchConversations(wanted, namespace, vector, context)
    const threads = new Set<string>()
    for (const { thread_id: thread, title, message, score, why } of hits) {
      if (threads.has(thread)) continue
      threads.add(thread)
      found.push({
        kind: 'conversation',
        ref: thread,
        id: message.message_id,
        title: title === '' ? thread : title,
        excerpt: message.content.slice(0, 300),
        score,
        why,
        namespace,
        at: message.at,
        open: opening('conversation.get', { thread_id: thread }, namespace, context),
        hit: null,
      })
    }
  }
  return found
}
