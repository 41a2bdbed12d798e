import type { FoundResult } from '../../../contract/ops/search.ts'
import { memorySearch } from '../../../contract/ops/memory/search.ts'
import type { Hit } from '../../../contract/row.ts'
import type { ReadContext } from '../../handler.ts'
import { recallPage, type Recall } from '../recall.ts'
import { hitsOf } from '../search-answer.ts'
import type { SearchInput } from '../search-scope.ts'
import { MOST_OF_KIND, opening, type KindQuery } from './kind-search.ts'

/** The search of memory behind the search of everything. */
export function memoriesSearch(call: KindQuery['call']): SearchInput {
  const { query, tags, namespace_scope, read_scope, as_of, as_of_basis, observation_date } = call
  const narrowed = { tags, namespace_scope, read_scope, as_of, as_of_basis, observation_date }
  return { ...memorySearch.input.parse({ query }), ...narrowed, top_k: MOST_OF_KIND }
}

/** A shared copy is read by its key: its row may be another user's. */
function openOf(hit: Hit, { as_of: asOf, as_of_basis: basis }: SearchInput, context: ReadContext): FoundResult['open'] {
  if (hit.source === 'shared') return opening('memory.get', { memory_key: hit.memory_key }, hit.namespace, context)
  return { op: 'memory.get_by_id', arguments: { memory_id: hit.memory_id, ...(asOf ? { as_of: asOf, as_of_basis: basis } : {}) } }
}

/** Memories that are near, as memory.search ranks them. */
export async function findMemories(recall: Recall, input: SearchInput, context: ReadContext): Promise<FoundResult[]> {
  const recalled = await recallPage(recall, input, 0, context)
  const hits = await hitsOf(recalled, recall, input, context)
  return hits.map((hit) => ({
    kind: 'memory',
    ref: hit.memory_key,
    id: hit.memory_id,
    title: hit.memory_key,
    excerpt: hit.content_excerpt,
    score: hit.rank_score,
    why: hit.why,
    namespace: hit.namespace,
    at: hit.valid_at ?? hit.created_at,
    open: openOf(hit, input, context),
    hit,
  }))
}
