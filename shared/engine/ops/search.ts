import type { Input, Output } from '../../contract/declare.ts'
import { SearchKind, search as contract, type FoundResult } from '../../contract/ops/search.ts'
import { sharedList } from '../../domain/search/shared-list.ts'
import { defineRead, type ReadContext } from '../handler.ts'
import { findConversations } from '../read/kinds/conversations.ts'
import { findDocuments } from '../read/kinds/documents.ts'
import { MOST_OF_KIND, type KindQuery, type KindSearch } from '../read/kinds/kind-search.ts'
import { findMemories, memoriesSearch } from '../read/kinds/memories.ts'
import { findProfiles } from '../read/kinds/profiles.ts'
import { prepareRecall, type Recall } from '../read/recall.ts'
import { requireQuery, searchDegraded } from '../read/search-answer.ts'
import type { SearchInput } from '../read/search-scope.ts'

type Call = Input<typeof contract>

/** Every kind but memories, which have a past. */
const OTHERS = { profile: findProfiles, knowledge: findDocuments, conversation: findConversations } as const satisfies Record<
  Exclude<SearchKind, 'memory'>,
  KindSearch
>

/** What narrows memories by the caller's own place narrows the other kinds alike. */
function placed(call: Call, context: ReadContext): ReadContext {
  const { agent, user_id, session_id } = context.identity
  const own = { namespace: {}, run: {}, agent: { agent }, user: { user_id }, session: { session_id } }[call.read_scope]
  return { ...context, given: { ...own, ...context.given } }
}

async function findAll(call: Call, recall: Recall, input: SearchInput, context: ReadContext): Promise<FoundResult[][]> {
  const wanted = new Set(call.kinds.length === 0 ? SearchKind.options : call.kinds)
  const query: KindQuery = { call, namespaces: recall.scope.searched, vector: recall.vector }
  const found: FoundResult[][] = []
  for (const kind of SearchKind.options) {
    // Of a past only memories are kept.
    if (!wanted.has(kind) || (kind !== 'memory' && call.as_of)) found.push([])
    else if (kind === 'memory') found.push(await findMemories(recall, input, context))
    else found.push([...(await OTHERS[kind](query, placed(call, context)))].toSorted((a, b) => b.score - a.score).slice(0, MOST_OF_KIND))
  }
  return found
}

export const search = defineRead(contract, async (call, context): Promise<Output<typeof contract>> => {
  requireQuery(call.query)
  const input = memoriesSearch(call)
  const recall = await prepareRecall(input, context)
  const found = await findAll(call, recall, input, context)
  const results = sharedList(found, call.limit)
  for (const result of results) {
    if (result.kind === 'memory') context.parts.usage.recalled(context.identity.org, result.id, contract.name, context.now)
  }
  return {
    results,
    counts: Object.fromEntries(SearchKind.options.map((kind, at) => [kind, found[at]?.length ?? 0])),
    abstain: results.length === 0,
    abstain_reason: results.length === 0 ? 'Nothing that may be searched is near this question.' : '',
    namespaces_skipped: [...recall.scope.skipped],
    degraded: searchDegraded(context),
  }
})
