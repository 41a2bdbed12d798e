import { createHash } from 'node:crypto'
import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { stringifyJson } from '../../../contract/json.ts'
import { memorySearch as contract } from '../../../contract/ops/memory/search.ts'
import { queryTerms } from '../../../domain/search/analyser.ts'
import { degradedOf } from '../../degraded.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { isStoodFor } from '../../index/collapse.ts'
import type { IndexedDoc, SearchHit, SearchOutcome } from '../../index/types.ts'
import { asOfOf } from '../../read/read-as-of.ts'
import { indexAsOf, type PastIndex } from '../../read/search-as-of.ts'
import { CHARS_PER_TOKEN, addBodies, hitView, readerBlock } from '../../read/hit-view.ts'
import { scopeOf, type SearchInput } from '../../read/search-scope.ts'
import { readCursor, writeCursor } from '../../store/cursor.ts'
import { headsById } from '../../store/memories.ts'
import { conflictsOf } from '../../store/pairs.ts'
import { usageOf } from '../../store/row-view.ts'
import { vectorsOf } from '../../write/embed.ts'

type Answer = Output<typeof contract>

function listName(input: SearchInput, namespace: string): string {
  const { cursor: _cursor, top_k: _top, ...rest } = input
  return createHash('sha256')
    .update(stringifyJson({ namespace, ...rest }))
    .digest('base64url')
    .slice(0, 16)
}

/** Near hits, and as many of the others as the call asked to see, in order. */
function select(outcome: SearchOutcome, input: SearchInput, offset: number): { page: SearchHit[]; more: boolean } {
  let unmatched = input.include_top_n_unmatched
  const shown = outcome.hits.filter((hit) => hit.near || unmatched-- > 0)
  return { page: shown.slice(offset, offset + input.top_k), more: shown.length > offset + input.top_k }
}

function abstention(
  results: number,
  passed: number,
  anyInScope: () => boolean,
): Pick<Answer, 'abstain' | 'abstain_code' | 'abstain_reason'> {
  if (results > 0) return { abstain: false, abstain_code: '', abstain_reason: '' }
  if (passed === 0 && !anyInScope())
    return { abstain: true, abstain_code: 'empty', abstain_reason: 'There is no memory in this scope yet.' }
  if (passed === 0)
    return { abstain: true, abstain_code: 'filtered', abstain_reason: 'There are memories here, and the filters leave none of them.' }
  return { abstain: true, abstain_code: 'nothing_near', abstain_reason: 'Nothing in memory is near this question.' }
}

async function view(page: readonly SearchHit[], input: SearchInput, past: PastIndex | null, context: ReadContext) {
  const { org } = context.identity
  const ids = page.map((hit) => hit.memoryId)
  const heads = past?.heads ?? (await headsById(context.db, org, ids))
  const conflicts = await conflictsOf(context.db, org, past ? [] : ids)
  const usage = input.include_usage ? await usageOf(context.db, org, ids) : new Map<string, never>()
  const options = { terms: queryTerms(input.query), explain: input.explain, includeUsage: input.include_usage }
  const hits = page.flatMap((hit) => {
    const head = heads.get(hit.memoryId)
    const against = conflicts.get(hit.memoryId)?.map((other) => other.key) ?? []
    return head ? hitView(head, hit, usage.get(hit.memoryId), against, options) : []
  })
  return { hits, heads }
}

export const memorySearch = defineRead(contract, async (input, context): Promise<Answer> => {
  const { parts, identity, now } = context
  if (input.query.trim() === '') throw new LoomError('INVALID_ARGUMENT', 'query is empty. Say what to look for.', { field: 'query' })
  const list = listName(input, identity.namespace)
  const offset = Number(readCursor(list, input.cursor)?.[0] ?? 0)
  // Words are looked up, and rows asked whether they are in scope, while the model reads the query.
  const embedding = input.search_mode === 'lexical' ? null : vectorsOf([input.query], context)
  const scope = await scopeOf(input, context)
  const asOf = asOfOf(input)
  const past = asOf ? await indexAsOf(scope.searched, asOf, context) : null
  if (past?.wordsOnly && input.search_mode !== 'lexical') context.degraded.add('as_of_words')
  await parts.follower.catchUp(identity.org)
  const shown = past?.index ?? parts.index
  const accepts = (doc: IndexedDoc): boolean => scope.inScope(doc) && scope.passes(doc)
  const answer = shown.beginSearch({
    org: identity.org,
    namespaces: scope.searched,
    text: input.query,
    mode: input.search_mode,
    accept: (doc) => accepts(doc) && !isStoodFor(doc, parts.collapses, (id) => shown.get(id), accepts),
    acceptsPlain: parts.collapses.size === 0 && scope.takesAll(shown),
    limit: offset + input.top_k + input.include_top_n_unmatched + 1,
    keyMatch: parts.config.searchKeyMatch,
    softTags: input.tags_soft ? { tags: input.tags_soft, boost: input.tag_boost } : undefined,
  })
  const embedded = await embedding
  const outcome = answer(embedded?.vectors[0] ?? null)
  const { page, more } = select(outcome, input, offset)
  const { hits, heads } = await view(page, input, past, context)
  const bodies = input.bodies ? addBodies(hits, heads, input.body_budget_tokens) : { returned: 0, elided: 0, tokens: 0 }
  if (input.auto_touch) for (const hit of hits) parts.usage.recalled(identity.org, hit.memory_id, now)
  const excerptTokens = hits.reduce((sum, hit) => sum + Math.ceil(hit.content_excerpt.length / CHARS_PER_TOKEN), 0)
  return {
    results: hits,
    ...abstention(hits.length, outcome.candidates, () => shown.holds(identity.org, scope.searched, scope.inScope)),
    candidates_total: outcome.candidates,
    namespaces_searched: [...scope.searched],
    namespaces_skipped: [...scope.skipped],
    bodies_returned: bodies.returned,
    bodies_elided: bodies.elided,
    tokens_returned: bodies.tokens + excerptTokens,
    reader_block: input.render === 'text' ? readerBlock(hits) : '',
    embedding_model: parts.models.embedder?.id ?? '',
    pending_extraction: 0,
    next: '',
    degraded: [...new Set([...degradedOf(parts).filter((what) => what === 'embedder' || what === 'reindexing'), ...context.degraded])],
    next_cursor: more ? writeCursor(list, [offset + input.top_k]) : null,
  }
})
