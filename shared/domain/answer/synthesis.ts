import { wordShareOf } from '../search/word-share.ts'
import { sentencesOf } from './sentences.ts'

/** A sentence of a model's answer, with the evidence that it names (numbers from 1, all of them given). */
export interface CitedSentence {
  readonly text: string
  readonly cites: readonly number[]
}

export interface Synthesis {
  /** Sentences that name evidence; the others are left out. */
  readonly cited: readonly CitedSentence[]
  /** Sentences that the model wrote, cited or not. */
  readonly written: number
}

/** Longer answers than this are not read further. */
const MOST_READ = 40_000
const MARKS = /\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\]/gu
/** Marks that stand before the end of their sentence. Bounded, so that no text makes it slow. */
const MARKS_INSIDE = /(?<!\s)\s*((?:\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\]\s*){1,8})([.!?。！？]+)/gu

/**
 * Reads an answer that marks its sentences with ` [n]`. Marks belong to the sentence before them alone; one that was
 * never given is no mark.
 */
export function readSynthesis(answer: string, given: number): Synthesis {
  const text = answer.slice(0, MOST_READ).replaceAll(MARKS_INSIDE, '$2 $1 ')
  const marked: CitedSentence[] = []
  let written = 0
  let from = 0
  const take = (part: string, cites: readonly number[]): void => {
    const sentences = sentencesOf(part)
    written += sentences.length
    const last = sentences.at(-1)
    const previous = marked.at(-1)
    if (last !== undefined) marked.push({ text: last, cites })
    // Marks one after another belong to one sentence.
    else if (previous) marked[marked.length - 1] = { ...previous, cites: [...new Set([...previous.cites, ...cites])] }
  }
  for (const found of text.matchAll(MARKS)) {
    const named = [...found[0].matchAll(/\d+/g)].map(([digits]) => Number(digits)).filter((n) => n >= 1 && n <= given)
    take(text.slice(from, found.index), [...new Set(named)])
    from = found.index + found[0].length
  }
  take(text.slice(from), [])
  return { cited: marked.filter(({ cites }) => cites.length > 0), written }
}

const LETTER = /\p{L}/u
const END_AFTER_MARKS = /\s*[.!?。！？]+/uy

/** How much of a text is settled: up to the last marks that a letter follows, since marks and ends may still come before one. */
function settledLength(text: string): number {
  let lastLetter = text.length - 1
  while (lastLetter >= 0 && !LETTER.test(text[lastLetter]!)) lastLetter--
  const last = [...text.slice(0, Math.max(0, lastLetter)).matchAll(MARKS)].at(-1)
  if (last === undefined) return 0
  END_AFTER_MARKS.lastIndex = last.index + last[0].length
  return END_AFTER_MARKS.exec(text) ? END_AFTER_MARKS.lastIndex : last.index + last[0].length
}

/** Reads an answer as it comes, to the sentences that `readSynthesis` finds in the whole of it. */
export interface SynthesisReader {
  /** @returns what the text so far has settled besides what was told */
  feed(piece: string): Synthesis
  /** @returns the rest */
  end(): Synthesis
}

/** @param given pieces of evidence that may be named */
export function createSynthesisReader(given: number): SynthesisReader {
  let room = MOST_READ
  let rest = ''
  return {
    feed(piece) {
      rest += piece.slice(0, room)
      room -= Math.min(room, piece.length)
      // Most pieces are a word, and settle nothing.
      const length = LETTER.test(piece) && rest.includes(']') ? settledLength(rest) : 0
      const settled = rest.slice(0, length)
      rest = rest.slice(length)
      return readSynthesis(settled, given)
    },
    end() {
      const left = rest
      rest = ''
      return readSynthesis(left, given)
    },
  }
}

/** A sentence has this share of its telling words from what it cites. */
const ENOUGH_WORDS = 0.6
const NUMBER = /\d+(?:[.,:]\d+)*/g
const NOT = /\b(?:no|not|never|none|nobody|nothing|without|cannot)\b|n[\u0027\u2019]t\b/gi

const isNegative = (text: string): boolean => (text.match(NOT)?.length ?? 0) % 2 === 1

/**
 * Whether what is cited bears a sentence out, as far as words tell: most of its telling words and each of its numbers
 * stand there, and it denies nothing that is said there.
 */
export function isSupported(sentence: string, evidence: readonly string[]): boolean {
  const all = evidence.join('\n')
  const numbers = new Set(all.match(NUMBER) ?? [])
  if (!(sentence.match(NUMBER) ?? []).every((number) => numbers.has(number))) return false
  if (isNegative(sentence) && !evidence.some((text) => sentencesOf(text).some(isNegative))) return false
  return wordShareOf(sentence)(all) >= ENOUGH_WORDS
}
