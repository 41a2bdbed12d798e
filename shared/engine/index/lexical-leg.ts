import { B, K1 } from '../../domain/search/bm25.ts'
import type { Partition } from './partition.ts'
import type { QueryPlan } from './query-plan.ts'
import { TopList } from './top-list.ts'
import { ID_SHIFT } from './word-index.ts'

/**
 * Above this many matches, words that over a tenth of all passages have add no new ones: their part of a score is
 * counted later for the best, when every candidate is scored anew. It keeps the tail of common words out of the time.
 */
const ENOUGH_MATCHES = 2_000
const COMMON_SHARE = 0.1

let scores = new Float32Array(0)
let touched = new Uint32Array(0)

function reserve(passages: number): void {
  if (scores.length >= passages) return
  scores = new Float32Array(Math.ceil(passages * 1.5))
  touched = new Uint32Array(scores.length)
}

/**
 * The accepted documents whose best passage has the highest BM25, best first: words of the row alone, without
 * neighbours. `accepted` holds 1 for each document that may be found.
 */
export function wordsTop(partition: Partition, plan: QueryPlan, frequencies: Float32Array, accepted: Uint8Array, limit: number): number[] {
  const { words } = partition
  const { documents, lengths } = words
  reserve(words.passages.idLimit)
  const found = plan.terms
    .map(({ term, weight, rarity }) => ({ id: words.termId(term), worth: weight * rarity }))
    .filter((term): term is { id: number; worth: number } => term.id !== undefined)
    .sort((a, b) => words.holding(a.id) - words.holding(b.id))
  const flat = K1 * (1 - B)
  const slope = (K1 * B) / plan.meanLength
  let count = 0
  for (const { id, worth } of found) {
    const holding = words.holding(id)
    if (count > ENOUGH_MATCHES && holding > words.count * COMMON_SHARE) break
    const { data } = words.postings
    const start = words.postings.start(id)
    const top = worth * (K1 + 1)
    for (let at = start, end = start + holding; at < end; at++) {
      const posting = data[at]!
      const passage = posting >>> ID_SHIFT
      if (accepted[documents[passage]!] !== 1) continue
      const frequency = frequencies[posting & 0xff]!
      if (frequency === 0) continue
      if (scores[passage] === 0) touched[count++] = passage
      scores[passage]! += (top * frequency) / (frequency + flat + slope * lengths[passage]!)
    }
  }
  const best = new TopList(limit)
  if (partition.docs.chunkPassages.size === 0) {
    for (let i = 0; i < count; i++) {
      const passage = touched[i]!
      best.offer(documents[passage]!, scores[passage]!)
      scores[passage] = 0
    }
    return best.take()
  }
  const byDocument = new Map<number, number>()
  for (let i = 0; i < count; i++) {
    const passage = touched[i]!
    const document = documents[passage]!
    const score = scores[passage]!
    if (score > (byDocument.get(document) ?? 0)) byDocument.set(document, score)
    scores[passage] = 0
  }
  for (const [document, score] of byDocument) best.offer(document, score)
  return best.take()
}
