import type { Output } from '../../contract/declare.ts'
import type { memorySearchTrace } from '../../contract/ops/memory/search_trace.ts'
import { analyseQuery } from '../../domain/search/analyser.ts'
import { rangeOf } from '../../domain/search/dates.ts'
import { weightsOf } from '../../domain/search/fusion.ts'
import { NEAR_COVERAGE, NEAR_SIMILARITY } from '../../domain/search/near.ts'
import { queryDate } from '../../domain/search/relative-dates.ts'
import type { ReadContext } from '../handler.ts'
import type { IndexedDoc, SearchMode } from '../index/types.ts'
import type { Recall } from './recall.ts'
import type { SearchInput } from './search-scope.ts'

export type Trace = Output<typeof memorySearchTrace>['trace']

const SHOWN = 50

/** Rows of the searched namespaces that the caller may see, and how many of them each filter drops: the first that does counts. */
function countRows(recall: Recall, input: SearchInput, context: ReadContext): Pick<Trace, 'rows_in_scope' | 'filtered'> {
  const { narrows, served, filters, searched } = recall.scope
  const filtered: Record<string, number> = {}
  let rows = 0
  const count = (doc: IndexedDoc): boolean => {
    if (!narrows.every(({ holds }) => holds(doc))) return false
    rows++
    const dropped = [...served, ...filters].find(({ holds }) => !holds(doc))
    if (dropped) filtered[dropped.name] = (filtered[dropped.name] ?? 0) + 1
    return false
  }
  const { org } = context.identity
  recall.index.search({
    org,
    namespaces: searched,
    text: input.query,
    vector: null,
    mode: 'lexical',
    accept: count,
    limit: 1,
    keyMatch: false,
  })
  return { rows_in_scope: rows, filtered }
}

const LEGS = { lexical: ['lexical'], vector: ['vector'], hybrid: ['lexical', 'vector'] } as const satisfies Record<
  SearchMode,
  readonly SearchMode[]
>

/** Each leg by itself: what it alone would have found, with its own score. */
function legsOf(recall: Recall, input: SearchInput): Trace['legs'] {
  return LEGS[input.search_mode].map((leg) => {
    const started = performance.now()
    const { outcome } = recall.rank(leg, SHOWN)
    const top = outcome.hits.map((hit) => ({ memory_key: recall.index.get(hit.memoryId)?.memoryKey ?? '', score: hit.rankScore }))
    return { leg, candidates: outcome.considered, top, ms: performance.now() - started }
  })
}

function datesOf(input: SearchInput, now: Date): Trace['query']['dates'] {
  const named = queryDate(input.query, input.observation_date === undefined ? now : new Date(input.observation_date))
  const range = named && rangeOf(named)
  if (!range || Number.isNaN(range.from)) return []
  return [{ from: new Date(range.from).toISOString(), to: new Date(range.to).toISOString() }]
}

/** How a search came to its answer. */
export function traceOf(recall: Recall, input: SearchInput, context: ReadContext, ms: Trace['ms']): Trace {
  const { outcome } = recall.rank()
  return {
    ...countRows(recall, input, context),
    legs: legsOf(recall, input),
    weights: input.search_mode === 'vector' ? { similarity: 1 } : weightsOf(recall.vector !== null),
    thresholds: { similarity: NEAR_SIMILARITY, coverage: NEAR_COVERAGE },
    query: {
      words: [...new Set(analyseQuery(input.query).map((word) => word.surface.toLowerCase()))],
      entities: [...new Set(outcome.hits.flatMap((hit) => hit.matchedEntities))],
      dates: datesOf(input, context.now),
    },
    ms,
  }
}
