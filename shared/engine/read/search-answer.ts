import type { Output } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import type { memorySearch } from '../../contract/ops/memory/search.ts'
import type { Hit } from '../../contract/row.ts'
import { queryTerms } from '../../domain/search/analyser.ts'
import { degradedOf } from '../degraded.ts'
import type { ReadContext } from '../handler.ts'
import { attachedOf } from '../store/attached.ts'
import { listName, readCursor } from '../store/cursor.ts'
import type { Head } from '../store/memories.ts'
import { conflictsOf } from '../store/pairs.ts'
import { usageOf } from '../store/row-view.ts'
import { CHARS_PER_TOKEN, addBodies, hitView, readerBlock } from './hit-view.ts'
import { pendingExtraction } from './pending-extraction.ts'
import type { Ranking, Recall, Recalled } from './recall.ts'
import type { SearchInput } from './search-scope.ts'

/** @throws LoomError INVALID_ARGUMENT for a query of white space alone. */
export function requireQuery(query: string): void {
  if (query.trim() === '') throw new LoomError('INVALID_ARGUMENT', 'query is empty. Say what to look for.', { field: 'query' })
}

/** The name of a list of hits, whatever the page and its length. */
export function searchList(input: SearchInput, namespace: string): string {
  const { top_k: _top, ...rest } = input
  return listName('memory.search', namespace, rest)
}

/**
 * Where a page of hits begins.
 * @throws LoomError INVALID_CURSOR
 */
export function offsetOf(list: string, cursor: string | undefined): number {
  return Number(readCursor(list, cursor)?.[0] ?? 0)
}

export interface Abstention {
  abstain: boolean
  abstain_code: '' | 'empty' | 'filtered' | 'nothing_near'
  abstain_reason: string
}

/** What an answer without results says of why it has none. */
export function abstention(results: number, { anyInScope, outcome }: Ranking): Abstention {
  if (results > 0) return { abstain: false, abstain_code: '', abstain_reason: '' }
  if (!anyInScope()) return { abstain: true, abstain_code: 'empty', abstain_reason: 'There is no memory in this scope yet.' }
  if (outcome.candidates === 0)
    return { abstain: true, abstain_code: 'filtered', abstain_reason: 'There are memories here, and the filters leave none of them.' }
  return { abstain: true, abstain_code: 'nothing_near', abstain_reason: 'Nothing in memory is near this question.' }
}

/** The rows of a page's hits, in their order. */
export const headsOf = ({ page, heads }: Recalled): Head[] => page.flatMap((hit) => heads.get(hit.memoryId) ?? [])

/** The hits of a page as they are answered. */
export async function hitsOf(
  { page, heads, askedBy }: Recalled,
  { past }: Recall,
  input: SearchInput,
  context: ReadContext,
): Promise<Hit[]> {
  const { org } = context.identity
  // A shared copy is named by its place on the shelf: it stands against nothing, and was built from nothing.
  const ids = page.map((hit) => hit.memoryId).filter((id) => heads.get(id)?.memory_id === id)
  const conflicts = await conflictsOf(context.db, org, past ? [] : ids)
  const usage = input.include_usage ? await usageOf(context.db, org, ids) : new Map<string, never>()
  const options = { terms: queryTerms(input.query), explain: input.explain, includeUsage: input.include_usage }
  const attached = await attachedOf(
    context.db,
    org,
    ids.filter((id) => heads.get(id)?.source_class === 'derived'),
  )
  return page.flatMap((hit) => {
    const head = heads.get(hit.memoryId)
    const against = conflicts.get(hit.memoryId)?.map((other) => other.key) ?? []
    const from = attached.get(hit.memoryId)?.derivedFrom ?? []
    return head
      ? {
          ...hitView(head, hit, usage.get(hit.memoryId), against, options),
          derived_from: [...from],
          resolved_from: askedBy.get(hit.memoryId) ?? '',
        }
      : []
  })
}

/** One page of an answer of memory.search; it counts nothing. */
export async function searchAnswer(
  recall: Recall,
  recalled: Recalled,
  input: SearchInput,
  context: ReadContext,
): Promise<Omit<Output<typeof memorySearch>, 'next_cursor'>> {
  const hits = await hitsOf(recalled, recall, input, context)
  const bodies = input.bodies ? addBodies(hits, headsOf(recalled), input.body_budget_tokens) : { returned: 0, elided: 0, tokens: 0 }
  const excerptTokens = hits.reduce((sum, hit) => sum + Math.ceil(hit.content_excerpt.length / CHARS_PER_TOKEN), 0)
  return {
    results: hits,
    ...abstention(hits.length, recalled),
    candidates_total: recalled.outcome.candidates,
    namespaces_searched: [...recall.scope.searched],
    namespaces_skipped: [...recall.scope.skipped],
    bodies_returned: bodies.returned,
    bodies_elided: bodies.elided,
    tokens_returned: bodies.tokens + excerptTokens,
    reader_block: input.render === 'text' ? readerBlock(hits) : '',
    embedding_model: context.parts.models.embedder?.id ?? '',
    pending_extraction: await pendingExtraction(recall.scope.searched, context),
    next: '',
    degraded: searchDegraded(context),
  }
}

/** What a search fell back on. */
export function searchDegraded(context: ReadContext): string[] {
  const told = degradedOf(context.parts).filter((what) => what === 'embedder' || what === 'reindexing')
  return [...new Set([...told, ...context.degraded])]
}
