import { cutAtWord } from './sentences.ts'
import type { CitedSentence } from './synthesis.ts'

/** Less than this of a sentence says nothing. */
const LEAST = 40
/** Room of ` [n]` and the space before the next sentence. */
const MARK = 6

/** An answer that grows by sentences, each followed by the numbers of what it rests on, numbered anew in the order of naming. */
export interface Composer {
  /**
   * @param sentence with the numbers of its evidence, and what is said after the numbers
   * @returns the sentence as it stands in the answer, where they are joined by a space; null where there is no room for it
   */
  add(sentence: CitedSentence & { readonly remark: string }): string | null
  /** What is named so far, in order: the first is [1]. */
  readonly named: readonly number[]
}

/** Takes as many sentences as fit. The first is cut where it is too long to stand. */
export function createComposer(maxChars: number): Composer {
  const named: number[] = []
  let length = 0
  return {
    named,
    add({ text, cites, remark }) {
      const after = [...named, ...cites.filter((n) => !named.includes(n))]
      const marks = ` ${cites.map((n) => `[${after.indexOf(n) + 1}]`).join('')}${remark}`
      const space = length === 0 ? 0 : 1
      const room = maxChars - length - marks.length - space
      if (text.length > room && (length > 0 || room < LEAST)) return null
      const piece = `${cutAtWord(text, room)}${marks}`
      length += space + piece.length
      named.splice(0, named.length, ...after)
      return piece
    },
  }
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
