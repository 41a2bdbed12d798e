import { setImmediate as nextTick } from 'node:timers/promises'
import { queryDate } from '../../domain/search/relative-dates.ts'
import { wordShareOf } from '../../domain/search/word-share.ts'
import type { ReadContext } from '../handler.ts'
import { isStoodFor } from '../index/collapse.ts'
import { indexedRowOf } from '../index/indexed-row.ts'
import type { HotIndex, IndexedDoc, SearchHit, SearchMode, SearchOutcome } from '../index/types.ts'
import { headsById, type Head } from '../store/memories.ts'
import { vectorsOf } from '../write/embed.ts'
import { coldIndex } from './cold-index.ts'
import { formerHits, formerKeysNear } from './former-hits.ts'
import { asOfOf } from './read-as-of.ts'
import { indexAsOf } from './search-as-of.ts'
import { scopeOf, type Scope, type SearchInput } from './search-scope.ts'
import { sharedHits, shelvesOf, type SharedHits, type SharedShelf } from './shared-hits.ts'

/** One search on its way: where it looks, with what. */
export interface Recall {
  readonly scope: Scope
  /** The index that is searched: today's, or that of a past. */
  readonly index: HotIndex
  /** Of a past: the versions that stood then. */
  readonly past: ReadonlyMap<string, Head> | null
  /** Shared copies that are searched beside the rows; a past has none. */
  readonly shelves: readonly SharedShelf[]
  /** Keys near the query that rows had before memory.move, by memory_id; a past has none. */
  readonly former: Awaited<ReturnType<typeof formerKeysNear>>
  readonly vector: Float32Array | null
  /** Ranks anew, by what the index holds at this moment. */
  rank(mode?: SearchMode, limit?: number): Ranking
  /** Ranks what another index of a namespace holds, by the same query. */
  rankIn(index: HotIndex, namespace: string, limit: number, accept: (doc: IndexedDoc) => boolean): SearchOutcome
}

export interface Ranking {
  readonly outcome: SearchOutcome
  /** Whether there are rows in scope, before the filters. */
  readonly anyInScope: () => boolean
}

/** Hits that one page needs ranked: those before it, its own, unmatched ones among them, and one to tell whether there are more. */
export const rankedFor = (input: SearchInput, offset: number): number => offset + input.top_k + input.include_top_n_unmatched + 1

/**
 * The index of every row, level with the store; one of the rows near the query, as long as that is being filled. Where
 * something narrows the search it may leave none of these, so it waits.
 */
async function levelIndex(
  input: SearchInput,
  embedding: ReturnType<typeof vectorsOf> | null,
  scope: Scope,
  context: ReadContext,
): Promise<HotIndex> {
  const { parts, identity } = context
  if (parts.fill.isCold && scope.narrows.length + scope.filters.length > 0) await parts.fill.filledSoon()
  if (parts.fill.isCold) return coldIndex(input.query, (await embedding)?.vectors[0] ?? null, scope.searched, context)
  await parts.follower.catchUp(identity.org)
  return parts.index
}

/**
 * Makes ready to search: scope, the query's vector, and the index of the time that is asked for. Words are looked up,
 * rows asked whether they are in scope, and shelves brought level, while the model reads the query.
 * @param limit hits that will be asked for first
 */
export async function prepareRecall(input: SearchInput, context: ReadContext, limit = input.top_k + 1): Promise<Recall> {
  const { parts, identity, now } = context
  const embedding = input.search_mode === 'lexical' ? null : vectorsOf([input.query], context)
  const scope = await scopeOf(input, context)
  const asOf = asOfOf(input)
  const past = asOf ? await indexAsOf(scope.searched, asOf, context) : null
  if (past?.wordsOnly && input.search_mode !== 'lexical') context.degraded.add('as_of_words')
  const index = past?.index ?? (await levelIndex(input, embedding, scope, context))
  const date = queryDate(input.query, input.observation_date === undefined ? now : new Date(input.observation_date))
  const accepts = (doc: IndexedDoc): boolean => scope.inScope(doc) && scope.passes(doc)
  const asked = {
    org: identity.org,
    text: input.query,
    keyMatch: parts.config.searchKeyMatch,
    softTags: input.tags_soft ? { tags: input.tags_soft, boost: input.tag_boost } : undefined,
    date,
  }
  const begin = (mode: SearchMode, most: number) =>
    index.beginSearch({
      ...asked,
      namespaces: scope.searched,
      mode,
      accept: (doc) => accepts(doc) && !isStoodFor(doc, parts.collapses, (id) => index.get(id), accepts),
      acceptsPlain: parts.collapses.size === 0 && scope.takesAll(index),
      limit: most,
    })
  const begun = begin(input.search_mode, limit)
  const shelves = past ? [] : await shelvesOf(scope.searched, input, context)
  const former: Recall['former'] = past ? new Map() : await formerKeysNear(input, scope.searched, context)
  const embedded = await embedding
  const vector = embedded?.vectors[0] ?? null
  return {
    scope,
    index,
    past: past?.heads ?? null,
    shelves,
    former,
    vector,
    rank(mode = input.search_mode, most = limit) {
      const outcome = (mode === input.search_mode && most === limit ? begun : begin(mode, most))(vector)
      return { outcome, anyInScope: () => outcome.candidates > 0 || index.some(identity.org, scope.searched, scope.inScope) }
    },
    rankIn: (other, namespace, most, accept) =>
      other.search({ ...asked, vector, namespaces: [namespace], mode: input.search_mode, accept, limit: most }),
  }
}

/** Near hits, and as many of the others as the call asked to see, in order. */
function select(outcome: SearchOutcome, input: SearchInput, offset: number): { page: SearchHit[]; more: boolean } {
  let unmatched = input.include_top_n_unmatched
  const shown = outcome.hits.filter((hit) => hit.near || unmatched-- > 0)
  return { page: shown.slice(offset, offset + input.top_k), more: shown.length > offset + input.top_k }
}

/**
 * Rows, shared copies and rows under keys that they had before in one order; of equals a row comes first. What is found
 * under both of its keys stands where it ranks higher.
 */
function together(ranking: Ranking, { hits }: SharedHits, former: readonly SearchHit[]): Ranking {
  if (hits.length + former.length === 0) return ranking
  const { outcome } = ranking
  const before = new Map(former.map((hit) => [hit.memoryId, hit]))
  const better = (own: SearchHit): SearchHit => {
    const other = before.get(own.memoryId)
    before.delete(own.memoryId)
    return other !== undefined && other.rankScore > own.rankScore ? other : own
  }
  const own = outcome.hits.map(better)
  const all = [...own, ...before.values(), ...hits].sort((a, b) => b.rankScore - a.rankScore)
  return { outcome: { ...outcome, hits: all, candidates: outcome.candidates + hits.length }, anyInScope: () => true }
}

/** Of hits that have fewer of the query's words under their own key than a former key has: that key, by memory_id. */
function askedBy(hits: readonly SearchHit[], { former, index }: Recall, input: SearchInput): ReadonlyMap<string, string> {
  if (former.size === 0) return new Map()
  const shareOf = wordShareOf(input.query)
  const named = hits.flatMap(({ memoryId }) => {
    const other = former.get(memoryId)
    const own = index.get(memoryId)
    return other !== undefined && own !== null && other.share > shareOf(own.memoryKey) ? [[memoryId, other.key] as const] : []
  })
  return new Map(named)
}

export interface Recalled extends Ranking {
  readonly page: readonly SearchHit[]
  readonly more: boolean
  /** Of every hit of the page. */
  readonly heads: ReadonlyMap<string, Head>
  /** Of hits that the query names by a key which they had before: that key, by memory_id. */
  readonly askedBy: ReadonlyMap<string, string>
}

/** Rows change between ranking and reading: the ranking is made again, so that both are of one store. */
const MOST_RANKINGS = 4

/** One page of a search with the rows it names. A row that is deleted meanwhile is not in it. */
export async function recallPage(recall: Recall, input: SearchInput, offset: number, context: ReadContext): Promise<Recalled> {
  const { index, past, scope } = recall
  const limit = rankedFor(input, offset)
  const shared = await sharedHits(recall, limit, context)
  const former = await formerHits(
    recall,
    limit,
    (doc) => scope.inScope(doc) && scope.passes(doc) && context.parts.collapses.canonicalOf(doc) === null,
    context,
  )
  for (let ranked = 1; ; ranked++) {
    const ranking = together(recall.rank(input.search_mode, limit), shared, former)
    const { page, more } = select(ranking.outcome, input, offset)
    if (past) return { ...ranking, page: page.filter((hit) => past.has(hit.memoryId)), more, heads: past, askedBy: new Map() }
    const own = page.filter((hit) => !shared.heads.has(hit.memoryId))
    const versions = new Map(own.map((hit) => [hit.memoryId, index.get(hit.memoryId)?.version]))
    const heads = new Map([...(await headsById(context.db, context.identity.org, [...versions.keys()])), ...shared.heads])
    const changed = own.filter((hit) => heads.get(hit.memoryId)?.version !== versions.get(hit.memoryId))
    if (changed.length === 0) return { ...ranking, page, more, heads, askedBy: askedBy(own, recall, input) }
    if (ranked === MOST_RANKINGS) {
      const gone = new Set(changed.filter((hit) => !isServed(heads.get(hit.memoryId), scope)).map((hit) => hit.memoryId))
      const left = page.filter((hit) => !gone.has(hit.memoryId))
      return { ...ranking, page: left, more, heads, askedBy: askedBy(left, recall, input) }
    }
    // A commit reaches the index a moment after the store.
    await nextTick()
    await context.parts.follower.catchUp(context.identity.org)
  }
}

const docOf = (head: Head | undefined): IndexedDoc | null =>
  head === undefined ? null : indexedRowOf(head, { indexed: '', keyIndexed: true, chunks: [] }, null)

/** Whether a head as it now is may be shown in this scope, whatever the filters. */
export function isInScope(head: Head | undefined, scope: Scope): boolean {
  const doc = docOf(head)
  return doc !== null && scope.searched.includes(doc.namespace) && scope.inScope(doc)
}

/** Whether a search of this scope may show a head as it now is. */
export function isServed(head: Head | undefined, scope: Scope): boolean {
  const doc = docOf(head)
  return doc !== null && isInScope(head, scope) && scope.passes(doc)
}
