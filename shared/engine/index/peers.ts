import { analyseQuery } from '../../domain/search/analyser.ts'
import { createReader } from './candidates.ts'
import { wordsTop } from './lexical-leg.ts'
import type { Partition } from './partition.ts'
import { planQuery } from './query-plan.ts'
import { acceptedOf } from './search.ts'
import type { Peer, PeerQuery } from './types.ts'
import { vectorTop } from './vector-leg.ts'
import { unitOf } from './vector-store.ts'
import { frequencyTable } from './word-index.ts'

const FREQUENCIES = frequencyTable(true)

/**
 * The rows a new claim is judged against, nearest first: by the larger cosine of value and key vector; rows without a
 * vector, or all of them when the claim has none, by the share of its words that they have.
 */
export function peersIn(partition: Partition, query: PeerQuery): Peer[] {
  const { docs, values, keys } = partition
  const { accepted, count } = acceptedOf(partition, query.accept, false)
  if (count === 0) return []
  const unit = query.vector === null ? null : unitOf(query.vector)
  const plan = planQuery(analyseQuery(query.text), [partition])
  const reader = createReader(partition, plan, FREQUENCIES)
  const found = new Set<number>(wordsTop(partition, plan, FREQUENCIES, accepted, query.limit))
  if (unit !== null) {
    for (const row of vectorTop(values, unit, accepted, query.limit)) found.add(values.owners[row]!)
    for (const row of vectorTop(keys, unit, accepted, query.limit)) found.add(keys.owners[row]!)
  }
  return [...found]
    .map((doc) => {
      const valueRow = docs.columns.valueRow[doc]!
      const keyRow = docs.columns.keyRow[doc]!
      const value = unit === null || valueRow < 0 ? null : values.cosine(unit, valueRow)
      const key = unit === null || keyRow < 0 ? null : keys.cosine(unit, keyRow)
      const { coverage } = reader.evidence(doc)
      const closeness = value === null && key === null ? coverage : Math.max(value ?? -1, key ?? -1)
      return { closeness, peer: { memoryId: docs.memoryIds[doc]!, similarity: Math.max(0, value ?? 0), coverage } }
    })
    .sort((a, b) => b.closeness - a.closeness || (a.peer.memoryId < b.peer.memoryId ? -1 : 1))
    .slice(0, query.limit)
    .map(({ peer }) => peer)
}
