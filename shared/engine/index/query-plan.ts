import { FUNCTION_WORD_WEIGHT, type QueryWord } from '../../domain/search/analyser.ts'
import { idf } from '../../domain/search/bm25.ts'
import type { Partition } from './partition.ts'

/** More terms than this make an answer slower, not better: the rarest are kept. */
const MOST_TERMS = 128
/** Rarity is reckoned as in a store of at least so many passages: among three, no word is common or rare. */
const FEWEST_PASSAGES = 100

/** A term of the query with its rarity over all partitions in scope. */
export interface PlannedTerm {
  readonly term: string
  /** Times its rarity, what a passage may earn by it. */
  readonly weight: number
  readonly rarity: number
}

interface PlannedPart {
  readonly at: number
  readonly share: number
}

interface PlannedWord {
  readonly surface: string
  /** Place of the whole word among the terms, -1 for none. */
  readonly whole: number
  readonly parts: readonly PlannedPart[]
  readonly importance: number
  /** False for a function word, which explains nothing. */
  readonly telling: boolean
}

/** A query, weighed against what is in scope. */
export interface QueryPlan {
  readonly terms: readonly PlannedTerm[]
  readonly words: readonly PlannedWord[]
  /** BM25 of a passage of mean length that has each term once. */
  readonly fullScore: number
  /** Mean length of a passage in scope, at least 1. */
  readonly meanLength: number
}

/** Weighs the words of a query by how rare they are in the partitions, taken together. */
export function planQuery(queryWords: readonly QueryWord[], partitions: readonly Partition[]): QueryPlan {
  let passages = 0
  let length = 0
  for (const { words } of partitions) {
    passages += words.count
    length += words.totalLength
  }
  const rarity = (term: string): number => {
    let holding = 0
    for (const { words } of partitions) {
      const id = words.termId(term)
      if (id !== undefined) holding += words.holding(id)
    }
    return idf(Math.max(passages, FEWEST_PASSAGES), holding)
  }
  const unknown = idf(Math.max(passages, FEWEST_PASSAGES), 0)
  const found = new Map<string, { weight: number; rarity: number }>()
  const want = (term: string, weight: number): void => {
    const known = found.get(term)
    if (known === undefined) found.set(term, { weight, rarity: rarity(term) })
    else known.weight = Math.max(known.weight, weight)
  }
  for (const word of queryWords) {
    if (word.whole !== null) want(word.whole, word.weight)
    for (const part of word.parts) want(part.term, part.weight * word.weight)
  }
  const terms = [...found]
    .map(([term, known]) => ({ term, ...known }))
    .sort((a, b) => b.rarity * b.weight - a.rarity * a.weight)
    .slice(0, MOST_TERMS)
  const places = new Map(terms.map(({ term }, at) => [term, at]))
  const rarityAt = (term: string): number => found.get(term)?.rarity ?? unknown
  const words = queryWords.map((word): PlannedWord => {
    const parts = word.parts.map(({ term, weight }) => ({ at: places.get(term) ?? -1, share: weight * rarityAt(term) }))
    return {
      surface: word.surface,
      whole: word.whole === null ? -1 : (places.get(word.whole) ?? -1),
      parts,
      importance: importance(word, rarityAt, unknown),
      telling: word.weight > FUNCTION_WORD_WEIGHT && (word.whole !== null || word.parts.some((part) => part.weight > FUNCTION_WORD_WEIGHT)),
    }
  })
  const fullScore = terms.reduce((sum, term) => sum + term.weight * term.rarity, 0)
  return { terms, words, fullScore, meanLength: Math.max(1, length / Math.max(1, passages)) }
}

/** What missing this word costs: its rarity; where the whole is unknown, that of its known parts. */
function importance(word: QueryWord, rarityAt: (term: string) => number, unknown: number): number {
  if (word.whole === null) {
    // Bigrams overlap: each says about half a word.
    return word.weight * 0.5 * word.parts.reduce((sum, part) => sum + part.weight * rarityAt(part.term), 0)
  }
  const whole = rarityAt(word.whole)
  if (whole < unknown || word.parts.length === 0) return word.weight * whole
  const total = word.parts.reduce((sum, part) => sum + part.weight, 0)
  return word.weight * word.parts.reduce((sum, part) => sum + (part.weight / total) * rarityAt(part.term), 0)
}

/** How far a word is there (0..1), given which terms are. `present` is read from `from` on. */
function shareOf(word: PlannedWord, present: Uint8Array, from: number): number {
  if (word.whole >= 0 && present[from + word.whole] !== 0) return 1
  let have = 0
  let all = 0
  for (const { at, share } of word.parts) {
    all += share
    if (at >= 0 && present[from + at] !== 0) have += share
  }
  return all > 0 ? have / all : 0
}

/** Share of the query's words, by importance. Less than half of a word's parts are chance. */
export function coverageOf(plan: QueryPlan, present: Uint8Array, from: number): number {
  let have = 0
  let all = 0
  for (const word of plan.words) {
    const share = shareOf(word, present, from)
    all += word.importance
    if (share >= 0.5) have += word.importance * share
  }
  return all > 0 ? have / all : 0
}

/** The words of the query that are there, as the query spells them. */
export function surfacesOf(plan: QueryPlan, present: Uint8Array, from: number): string[] {
  const found = new Set<string>()
  for (const word of plan.words) if (word.telling && shareOf(word, present, from) >= 0.5) found.add(word.surface.toLowerCase())
  return [...found]
}
