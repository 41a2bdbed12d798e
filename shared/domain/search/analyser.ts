import { fold, piecesOf } from './pieces.ts'
import { CJK_FUNCTION_WORDS, FOREIGN_FUNCTION_WORDS } from './stop-words.ts'

/** One n-gram or sub-word of a query word, with its share in the word (0..1). */
export interface QueryPart {
  readonly term: string
  readonly weight: number
}

/**
 * One word of a query. It is there when `whole` is there, else as far as its `parts` are. `weight` is its share in
 * the query (function words of other languages weigh little).
 */
export interface QueryWord {
  readonly surface: string
  readonly whole: string | null
  readonly parts: readonly QueryPart[]
  readonly weight: number
}

/** Terms of a text with how often each occurs, and its length in words (bigrams where no spaces are written). */
export interface Analysis {
  readonly terms: Map<string, number>
  readonly length: number
}

const CJK_SUBRUN = /\p{sc=Hira}+|[\p{sc=Kana}\u30fc]+|\p{sc=Hang}+|[^\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}]+/gu
const HIRAGANA_ONLY = /^\p{sc=Hira}+$/u
const HANGUL = /\p{sc=Hang}/u
/** Weights of the parts of an identifier: words say much, bare numbers (of a version, a time) little. */
const PART_WEIGHT = 0.7
const NUMBER_PART_WEIGHT = 0.3
export const FUNCTION_WORD_WEIGHT = 0.15

/** Terms of a document text: stems, identifiers whole and split, 1- and 2-grams of CJK, 3-grams of other scripts. */
export function analyseText(text: string): Analysis {
  const terms = new Map<string, number>()
  let length = 0
  const add = (term: string): void => {
    terms.set(term, (terms.get(term) ?? 0) + 1)
  }
  for (const piece of piecesOf(text)) {
    switch (piece.kind) {
      case 'word':
        add(piece.term)
        length += 1
        break
      case 'compound':
        add(piece.whole)
        for (const part of piece.parts) if (part !== piece.whole) add(part)
        length += Math.max(1, piece.parts.length)
        break
      case 'cjk': {
        const letters = [...piece.text]
        letters.forEach((letter, i) => {
          add(letter)
          if (i > 0) add(`${letters[i - 1]}${letter}`)
        })
        length += Math.max(1, letters.length - 1)
        break
      }
      case 'grams':
        add(piece.whole)
        for (const gram of piece.grams) add(gram)
        length += 1
        break
    }
  }
  return { terms, length }
}

/** What is left of a run without function words at its ends, for a person to read. */
function surfaceOf(text: string, weak: Uint8Array): string {
  let from = 0
  let to = text.length
  while (from < to && weak[from] === 1) from++
  while (to > from && weak[to - 1] === 1) to--
  return from < to ? text.slice(from, to) : text
}

/** Bigrams of a run that weigh fully, unless they cross or repeat function words. */
function cjkWords(run: string, out: QueryWord[]): void {
  const weak = new Uint8Array(run.length)
  for (const match of run.matchAll(CJK_FUNCTION_WORDS)) weak.fill(1, match.index, match.index + match[0].length)
  const subruns = [...run.matchAll(CJK_SUBRUN)]
  for (const [n, sub] of subruns.entries()) {
    const text = sub[0]
    const letters = [...text]
    const hiragana = HIRAGANA_ONLY.test(text) && subruns.length > 1
    const parts: QueryPart[] = []
    let at = sub.index
    letters.forEach((letter, i) => {
      const isWeak = hiragana || weak[at] === 1
      if (letters.length === 1) parts.push({ term: letter, weight: isWeak ? FUNCTION_WORD_WEIGHT : 1 })
      else if (i > 0) {
        const previous = letters[i - 1] ?? ''
        const pairWeak = isWeak || weak[at - previous.length] === 1
        parts.push({ term: `${previous}${letter}`, weight: pairWeak ? FUNCTION_WORD_WEIGHT : 1 })
      }
      at += letter.length
    })
    // A final syllable is mostly a particle in Korean: the stem decides.
    if (HANGUL.test(text) && parts.length > 1) {
      const last = parts.length - 1
      parts[last] = { term: parts[last]?.term ?? '', weight: 0.4 * (parts[last]?.weight ?? 0) }
    }
    // 食べ: the pair over a change of script belongs to the word before it.
    const next = subruns[n + 1]
    const first = next === undefined ? undefined : [...next[0]][0]
    if (first !== undefined) parts.push({ term: `${letters[letters.length - 1]}${first}`, weight: FUNCTION_WORD_WEIGHT })
    out.push({ surface: surfaceOf(text, weak.subarray(sub.index, sub.index + text.length)), whole: null, parts, weight: 1 })
  }
}

/** Words of a query in order, each once. A query of function words alone has none. */
export function analyseQuery(text: string): QueryWord[] {
  const words: QueryWord[] = []
  for (const piece of piecesOf(text)) {
    switch (piece.kind) {
      case 'word': {
        const weight = FOREIGN_FUNCTION_WORDS.has(fold(piece.surface)) ? FUNCTION_WORD_WEIGHT : 1
        words.push({ surface: piece.surface, whole: piece.term, parts: [], weight })
        break
      }
      case 'compound': {
        const parts = piece.parts
          .filter((part) => part !== piece.whole)
          .map((term) => ({ term, weight: /^\d+$/.test(term) ? NUMBER_PART_WEIGHT : PART_WEIGHT }))
        words.push({ surface: piece.surface, whole: piece.whole, parts, weight: 1 })
        break
      }
      case 'cjk':
        cjkWords(piece.text, words)
        break
      case 'grams': {
        const share = 1 / piece.grams.length
        const weight = FOREIGN_FUNCTION_WORDS.has(piece.whole) ? FUNCTION_WORD_WEIGHT : 1
        words.push({ surface: piece.surface, whole: piece.whole, parts: piece.grams.map((term) => ({ term, weight: share })), weight })
        break
      }
    }
  }
  const once = new Map<string, QueryWord>()
  for (const word of words) {
    const id = word.whole ?? `${word.surface}\u0000`
    if (!once.has(id)) once.set(id, word)
  }
  return [...once.values()]
}

/** The terms by which a text shows that it answers a query, for an excerpt; function words are not among them. */
export function queryTerms(text: string): Set<string> {
  const terms = new Set<string>()
  for (const { whole, parts, weight } of analyseQuery(text)) {
    if (weight <= FUNCTION_WORD_WEIGHT) continue
    if (whole !== null) terms.add(whole)
    for (const part of parts) if (whole !== null || part.weight > FUNCTION_WORD_WEIGHT) terms.add(part.term)
  }
  return terms
}
