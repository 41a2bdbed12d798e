import { cutAtWord } from './sentences.ts'
import type { CitedSentence } from './synthesis.ts'

/** Less than this of a sentence says nothing. */
const LEAST = 40
/** Room of ` [n]` and the space before the next sentence. */
const MARK = 6

/** An answer made of pieces, each followed by the numbers of what it rests on, numbered anew in the order of naming. */
export interface Composed {
  readonly answer: string
  /** What is named, in order: the first is [1]. */
  readonly named: readonly number[]
}

/**
 * Sentences with their citations, as many as fit. The first is cut where it is too long to stand.
 * @param sentences with the numbers of their evidence, and what is said after the numbers
 */
export function composeCited(sentences: readonly (CitedSentence & { readonly remark: string })[], maxChars: number): Composed {
  const named: number[] = []
  let answer = ''
  for (const { text, cites, remark } of sentences) {
    const after = [...named, ...cites.filter((n) => !named.includes(n))]
    const marks = ` ${cites.map((n) => `[${after.indexOf(n) + 1}]`).join('')}${remark}`
    const room = maxChars - answer.length - marks.length - (answer === '' ? 0 : 1)
    if (text.length > room && (answer !== '' || room < LEAST)) continue
    answer += `${answer === '' ? '' : ' '}${cutAtWord(text, room)}${marks}`
    named.splice(0, named.length, ...after)
  }
  return { answer, named }
}

/** A sentence as it stands in memory; one that must stand is cut rather than left out. */
export interface Quoted {
  readonly text: string
  readonly mustStand: boolean
}

/**
 * Sentences as they stand, each followed by its number, as many as fit; those that must stand share the room.
 * @returns the answer, and of each sentence in it its place among those given and what of it is quoted
 */
export function composeQuotes(
  quotes: readonly Quoted[],
  maxChars: number,
): { readonly answer: string; readonly quoted: readonly { readonly at: number; readonly text: string }[] } {
  const standing = quotes.filter(({ mustStand }) => mustStand).length
  const share = standing > 1 ? Math.max(LEAST, Math.floor(maxChars / standing) - MARK) : maxChars
  const quoted: { at: number; text: string }[] = []
  let answer = ''
  for (const [at, { text, mustStand }] of quotes.entries()) {
    const mark = ` [${quoted.length + 1}]`
    const free = maxChars - answer.length - mark.length - (answer === '' ? 0 : 1)
    const must = at === 0 || mustStand
    const room = must ? Math.min(free, share) : free
    if (text.length > room && (!must || room < LEAST)) continue
    const said = cutAtWord(text, room)
    answer += `${answer === '' ? '' : ' '}${said}${mark}`
    quoted.push({ at, text: said })
  }
  return { answer, quoted }
}
