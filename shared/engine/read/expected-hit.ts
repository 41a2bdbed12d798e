import type { Output } from '../../contract/declare.ts'
import type { memorySearchTrace } from '../../contract/ops/memory/search_trace.ts'
import type { ReadContext } from '../handler.ts'
import { indexedRowOf } from '../index/indexed-row.ts'
import type { IndexedDoc } from '../index/types.ts'
import type { Head } from '../store/memories.ts'
import { candidates } from '../store/resolve.ts'
import { isExpired } from '../write/state.ts'
import type { Recall } from './recall.ts'
import type { SearchInput } from './search-scope.ts'

type Expected = NonNullable<Output<typeof memorySearchTrace>['expected']>
type Stage = Pick<Expected, 'stage' | 'reason'> & Partial<Expected>

/** Candidates that each leg hands to the ranker, whatever the page. */
const RANKED = 100

const TYPES_FOUND = new Set(['semantic', 'procedural'])

/** Why no search finds a row, whatever it asks: by its sensitivity, type, status or expiry. */
function whyUnreadable(head: Head, now: Date): string {
  if (head.sensitivity === 'high') return 'Its sensitivity is high: it is read by its key only.'
  if (!TYPES_FOUND.has(head.memory_type)) return `Rows of type ${head.memory_type} are not searched.`
  if (head.status === 'tombstoned') return 'It is deleted.'
  if (head.status === 'rejected' || head.status === 'redirect') return `Its status is ${head.status}.`
  return isExpired(head, now) ? 'It has expired.' : ''
}

const FLAG: Readonly<Record<string, string>> = {
  superseded: 'include_superseded',
  duplicate: 'include_duplicates',
  proposed: 'include_proposed',
  conflicted: 'include_conflicted',
}

function whyFiltered(doc: IndexedDoc, { scope }: Recall): string {
  const failed = [...scope.served, ...scope.filters].find(({ holds }) => !holds(doc))
  if (failed?.name === 'status') return `Its status is ${doc.status}: pass ${FLAG[doc.status] ?? 'another status'}.`
  if (failed?.name === 'hidden_tag') return 'It has a tag that search hides: name the tag.'
  return failed ? `The filter ${failed.name} leaves it out.` : ''
}

function whereRanked(head: Head, recall: Recall, input: SearchInput): Stage {
  const { outcome } = recall.rank(input.search_mode, Math.max(RANKED, input.top_k))
  const rank = outcome.hits.findIndex((hit) => hit.memoryId === head.memory_id)
  const hit = outcome.hits[rank]
  if (!hit) {
    const stood = outcome.considered > outcome.hits.length
    return stood
      ? { stage: 'ranked_below', reason: `It is not among the first ${outcome.hits.length}.` }
      : { stage: 'no_candidate', reason: 'Neither its words nor its meaning put it among the candidates.' }
  }
  const placed = { rank: rank + 1, score_components: { ...hit.components } }
  if (!hit.near) {
    const [near, covered] = [hit.similarity.toFixed(2), hit.coverage.toFixed(2)]
    return { stage: 'not_near', reason: `Meaning ${near} and word share ${covered} are under the thresholds.`, ...placed }
  }
  if (rank >= input.top_k) return { stage: 'ranked_below', reason: `It is hit ${rank + 1}; top_k is ${input.top_k}.`, ...placed }
  return { stage: 'returned', reason: `It is hit ${rank + 1}.`, ...placed }
}

/** Where on the way to an answer a key was lost. A row of another user or session is not told from one that is not there. */
export async function expectedOf(key: string, recall: Recall, input: SearchInput, context: ReadContext): Promise<Expected> {
  const told = (stage: Stage): Expected => ({ memory_key: key, rank: null, score_components: {}, ...stage })
  const rows: Head[] = []
  for (const namespace of recall.scope.searched) {
    const place = { ...context, identity: { ...context.identity, namespace }, given: {} }
    rows.push(...(await candidates(context.db, key, place)))
  }
  const mine = rows.filter((head) => {
    const whose = { agent: head.agent, userId: head.user_id, sessionId: head.session_id } as IndexedDoc
    return recall.scope.narrows.every(({ holds }) => holds(whose))
  })
  const found = mine.map((head): Stage => {
    const indexed = recall.index.get(head.memory_id)
    if (recall.past && !indexed) return { stage: 'not_found', reason: 'No version of it stood at that time.' }
    const unreadable = recall.past ? '' : whyUnreadable(head, context.now)
    if (unreadable !== '') return { stage: 'unreadable', reason: unreadable }
    const doc = indexed ?? indexedRowOf(head, { indexed: '', keyIndexed: true, chunks: [] }, null)
    if (doc === null) return { stage: 'unreadable', reason: 'It holds nothing to search.' }
    const filtered = whyFiltered(doc, recall)
    return filtered === '' ? whereRanked(head, recall, input) : { stage: 'filtered', reason: filtered }
  })
  return told(furthest(found) ?? { stage: 'not_found', reason: 'No row that you may read has this key.' })
}

const WAY = ['not_found', 'unreadable', 'filtered', 'no_candidate', 'not_near', 'ranked_below', 'returned']

/** Of several rows of the key, the one that came furthest. */
function furthest(stages: readonly Stage[]): Stage | undefined {
  return stages.toSorted((a, b) => WAY.indexOf(b.stage) - WAY.indexOf(a.stage))[0]
}
