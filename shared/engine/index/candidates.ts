import { saturation } from '../../domain/search/bm25.ts'
import type { Partition } from './partition.ts'
import { coverageOf, type QueryPlan } from './query-plan.ts'
import { ID_SHIFT, FREQUENCY_SHIFT, IN_KEY } from './word-index.ts'

/** What a neighbouring turn's words count: four before, one after. */
const BEFORE = [0.7, 0.4, 0.3, 0.2] as const
const AFTER = 0.3

/** What the words of the query say about one document. */
export interface WordEvidence {
  /** BM25 of its best passage, and the same with the words of neighbouring turns. */
  readonly words: number
  readonly context: number
  readonly coverage: number
  readonly contextCoverage: number
  /** The chunk that beats the excerpt, or null. */
  readonly chunk: number | null
  /** Which terms of the plan the document has: anywhere, in its key. */
  readonly present: Uint8Array
  readonly inText: Uint8Array
  readonly inKey: Uint8Array
}

interface Profile {
  readonly own: Float32Array
  /** Frequencies in the text alone: what a neighbour lends. */
  readonly lent: Float32Array
  readonly length: number
}

/** Reads documents of one partition against a plan; profiles of turns that several candidates border are kept. */
export function createReader(
  partition: Partition,
  plan: QueryPlan,
  frequencies: Float32Array,
): { readonly evidence: (doc: number) => WordEvidence; readonly borderOf: (doc: number) => number[] } {
  const { words, docs, sessions } = partition
  const size = plan.terms.length
  // From term id to place in the plan: one look-up for each entry of a passage.
  const places = new Map<number, number>()
  plan.terms.forEach(({ term }, at) => {
    const id = words.termId(term)
    if (id !== undefined) places.set(id, at)
  })
  const profiles = new Map<number, Profile>()

  const read = (passage: number, visit: (at: number, entry: number) => void): void => {
    const { data } = words.passages
    const start = words.passages.start(passage)
    for (let at = start, end = start + words.passages.length(passage); at < end; at++) {
      const packed = data[at]!
      const place = places.get(packed >>> ID_SHIFT)
      if (place !== undefined) visit(place, packed & 0xff)
    }
  }

  const profileOf = (doc: number): Profile => {
    const known = profiles.get(doc)
    if (known !== undefined) return known
    const passage = docs.columns.passage[doc]!
    const profile = { own: new Float32Array(size), lent: new Float32Array(size), length: words.lengths[passage]! }
    read(passage, (at, entry) => {
      profile.own[at] = frequencies[entry]!
      profile.lent[at] = entry >> FREQUENCY_SHIFT
    })
    profiles.set(doc, profile)
    return profile
  }

  const bm25 = (mixed: Float32Array, relativeLength: number): number => {
    let sum = 0
    for (let at = 0; at < size; at++) {
      const frequency = mixed[at]!
      if (frequency > 0) sum += plan.terms[at]!.weight * plan.terms[at]!.rarity * saturation(frequency, relativeLength)
    }
    return sum
  }

  const evidence = (doc: number): WordEvidence => {
    const profile = profileOf(doc)
    const present = new Uint8Array(size)
    const inText = new Uint8Array(size)
    const inKey = new Uint8Array(size)
    const note = (at: number, entry: number): void => {
      if (frequencies[entry]! > 0) present[at] = 1
      if ((entry & ~IN_KEY) !== 0) inText[at] = 1
      if ((entry & IN_KEY) !== 0) inKey[at] = 1
    }
    read(docs.columns.passage[doc]!, note)
    let own = bm25(profile.own, profile.length / plan.meanLength)
    let chunk: number | null = null
    for (const passage of docs.chunkPassages.get(doc) ?? []) {
      const mixed = new Float32Array(size)
      read(passage, (at, entry) => {
        note(at, entry)
        mixed[at] = frequencies[entry]!
      })
      const score = bm25(mixed, words.lengths[passage]! / plan.meanLength)
      if (score <= own) continue
      own = score
      chunk = words.chunks[passage]!
    }
    const coverage = coverageOf(plan, present, 0)
    const place = sessions.around(doc)
    if (place === null) return { words: own, context: own, coverage, contextCoverage: coverage, chunk, present, inText, inKey }

    const mixed = profile.own.slice()
    const shared = present.slice()
    let length = profile.length
    let weights = 1
    const lend = (neighbour: number | undefined, weight: number): void => {
      if (neighbour === undefined) return
      const other = profileOf(neighbour)
      length += weight * other.length
      weights += weight
      for (let at = 0; at < size; at++) {
        const frequency = other.lent[at]!
        if (frequency === 0) continue
        mixed[at]! += weight * frequency
        shared[at] = 1
      }
    }
    BEFORE.forEach((weight, back) => lend(place.order[place.at - 1 - back], weight))
    lend(place.order[place.at + 1], AFTER)
    const context = Math.max(bm25(mixed, length / (weights * plan.meanLength)), chunk === null ? 0 : own)
    return { words: own, context, coverage, contextCoverage: coverageOf(plan, shared, 0), chunk, present, inText, inKey }
  }

  /** Turns that a turn lends its words to: the one before it, the four after it. */
  const borderOf = (doc: number): number[] => {
    const place = sessions.around(doc)
    if (place === null) return []
    const around = [place.order[place.at - 1], ...place.order.slice(place.at + 1, place.at + 1 + BEFORE.length)]
    return around.filter((turn): turn is number => turn !== undefined)
  }

  return { evidence, borderOf }
}
