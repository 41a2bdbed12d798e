import { analyseQuery } from '../../domain/search/analyser.ts'
import { createReader } from './candidates.ts'
import { DocView } from './doc-view.ts'
import { wordsTop } from './lexical-leg.ts'
import type { Partition } from './partition.ts'
import { planQuery } from './query-plan.ts'
import { acceptedOf } from './search.ts'
import type { Peer, PeerQuery, PeersBegun, WithoutVector } from './types.ts'
import { vectorTop } from './vector-leg.ts'
import { unitOf } from './vector-store.ts'
import { frequencyTable } from './word-index.ts'

const FREQUENCIES = frequencyTable(true)

/** Times more of all rows than are wanted of the accepted ones, that are looked at before every row is asked. */
const LOOKED_AT = 4

/**
 * The rows a new claim is judged against, nearest first: by the cosine of their values' vectors; rows without one, or
 * all of them when the claim has none, by the share of its words that they have. A key's vector finds, it judges
 * nothing. Answered before the partition changes.
 */
export function beginPeers(partition: Partition, query: WithoutVector<PeerQuery>): PeersBegun {
  const { docs, values } = partition
  const plan = planQuery(analyseQuery(query.text), [partition])
  const reader = createReader(partition, plan, FREQUENCIES)
  const view = new DocView(docs, 0)
  const counts = (doc: number): boolean => {
    view.doc = doc
    return query.accept(view)
  }
  let asked: Uint8Array | null = null
  /** What a leg finds among the rows that count, best first. */
  const leg = (top: (marked: Uint8Array, limit: number) => number[]): number[] => {
    // Asking every row whether it counts takes longer than finding the near ones, most of which do.
    const looked = LOOKED_AT * query.limit
    const all = top(docs.alive, looked)
    const some = all.filter(counts)
    if (all.length < looked || some.length >= query.limit) return some.slice(0, query.limit)
    asked ??= acceptedOf(partition, query.accept, false).accepted
    return top(asked, query.limit)
  }
  const byWords = leg((marked, limit) => wordsTop(partition, plan, FREQUENCIES, marked, limit))
  const coverages = new Map(byWords.map((doc) => [doc, reader.evidence(doc).coverage]))
  const peerOf = (doc: number, similarity: number): Peer => ({
    memoryId: docs.memoryIds[doc]!,
    similarity,
    coverage: coverages.get(doc) ?? reader.evidence(doc).coverage,
  })
  const answer = (vector: Float32Array | null): Peer[] => {
    const unit = vector === null ? null : unitOf(vector)
    const near = unit === null ? [] : leg((marked, limit) => vectorTop(values, unit, marked, limit).map((row) => values.owners[row]!))
    return [...new Set([...byWords, ...near])]
      .map((doc) => {
        const valueRow = docs.columns.valueRow[doc]!
        const value = unit === null || valueRow < 0 ? null : values.cosine(unit, valueRow)
        const peer = peerOf(doc, Math.max(0, value ?? 0))
        return { closeness: value ?? peer.coverage, peer }
      })
      .sort((a, b) => b.closeness - a.closeness || (a.peer.memoryId < b.peer.memoryId ? -1 : 1))
      .slice(0, query.limit)
      .map(({ peer }) => peer)
  }
  return { byWords: byWords.map((doc) => peerOf(doc, 0)), answer }
}
