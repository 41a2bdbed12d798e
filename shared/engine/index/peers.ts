import { analyseQuery } from '../../domain/search/analyser.ts'
import { createReader } from './candidates.ts'
import { DocView } from './doc-view.ts'
import { wordsTop } from './lexical-leg.ts'
import type { Partition } from './partition.ts'
import { planQuery } from './query-plan.ts'
import { acceptedOf } from './search.ts'
import type { Peer, PeerQuery } from './types.ts'
import { vectorTop } from './vector-leg.ts'
import { unitOf } from './vector-store.ts'
import { frequencyTable } from './word-index.ts'

const FREQUENCIES = frequencyTable(true)

/** Times more of all rows than are wanted of the accepted ones, that are looked at before every row is asked. */
const LOOKED_AT = 4

/**
 * The rows a new claim is judged against, nearest first: by the cosine of their values' vectors; rows without one, or
 * all of them when the claim has none, by the share of its words that they have. A key's vector finds, it judges nothing.
 */
export function peersIn(partition: Partition, query: PeerQuery): Peer[] {
  const { docs, values } = partition
  const unit = query.vector === null ? null : unitOf(query.vector)
  const plan = planQuery(analyseQuery(query.text), [partition])
  /** What each leg finds among the documents marked, best first. */
  const legs = (marked: Uint8Array, limit: number): number[][] => [
    wordsTop(partition, plan, FREQUENCIES, marked, limit),
    unit === null ? [] : vectorTop(values, unit, marked, limit).map((row) => values.owners[row]!),
  ]
  // Asking every row whether it counts takes longer than finding the near ones, most of which do.
  const view = new DocView(docs, 0)
  const counts = (doc: number): boolean => {
    view.doc = doc
    return query.accept(view)
  }
  const looked = LOOKED_AT * query.limit
  const tried = legs(docs.alive, looked).map((all) => ({ full: all.length === looked, some: all.filter(counts) }))
  const enough = tried.every(({ full, some }) => !full || some.length >= query.limit)
  const best = enough
    ? tried.map(({ some }) => some.slice(0, query.limit))
    : legs(acceptedOf(partition, query.accept, { onlySearchable: false }).accepted, query.limit)
  const reader = createReader(partition, plan, FREQUENCIES)
  const found = new Set(best.flat())
  return [...found]
    .map((doc) => {
      const valueRow = docs.columns.valueRow[doc]!
      const value = unit === null || valueRow < 0 ? null : values.cosine(unit, valueRow)
      const { coverage } = reader.evidence(doc)
      return { closeness: value ?? coverage, peer: { memoryId: docs.memoryIds[doc]!, similarity: Math.max(0, value ?? 0), coverage } }
    })
    .sort((a, b) => b.closeness - a.closeness || (a.peer.memoryId < b.peer.memoryId ? -1 : 1))
    .slice(0, query.limit)
    .map(({ peer }) => peer)
}
