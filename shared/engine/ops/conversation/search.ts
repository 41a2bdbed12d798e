import type { Output } from '../../../contract/declare.ts'
import { conversationSearch as contract } from '../../../contract/ops/conversation/search.ts'
import { defineRead } from '../../handler.ts'
import { searchConversations } from '../../library/search-conversations.ts'
import { requireQuery, searchDegraded } from '../../read/search-answer.ts'
import { vectorsOf } from '../../write/embed.ts'

export const conversationSearch = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  requireQuery(input.query)
  const embedded = await vectorsOf([input.query], context)
  const { query, thread_id: threadId, role, since, until, top_k: topK, context: around } = input
  const wanted = { query, threadId, role, since, until, topK, context: around }
  const { hits, candidates } = await searchConversations(wanted, context.identity.namespace, embedded?.vectors[0] ?? null, context)
  const none = candidates === 0 ? 'There is no saved message in this scope.' : 'Nothing in the conversations is near this question.'
  return {
    results: [...hits],
    abstain: hits.length === 0,
    abstain_reason: hits.length === 0 ? none : '',
    degraded: searchDegraded(context),
  }
})
