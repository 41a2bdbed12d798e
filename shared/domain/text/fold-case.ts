import { COMBINING, FOLDS_TO_MANY, FOLDS_TO_ONE } from './unicode-tables.ts'

/** What JavaScript has no word for: full case folding, and the characters that combine with the one before them. */

const numbers = (text: string, by: string): number[] => text.split(by).map((one) => Number.parseInt(one, 36))

function foldings(): Map<string, string> {
  const folds = new Map<string, string>()
  for (const run of FOLDS_TO_ONE.split(' ')) {
    const [start = 0, step = 0, count = 0, distance = 0] = numbers(run, ',')
    for (let at = 0; at < count; at++) {
      const from = start + at * step
      folds.set(String.fromCodePoint(from), String.fromCodePoint(from + distance))
    }
  }
  for (const entry of FOLDS_TO_MANY.split(' ')) {
    const [from = 0, ...to] = numbers(entry, ',')
    folds.set(String.fromCodePoint(from), String.fromCodePoint(...to))
  }
  return folds
}

function combining(): Set<string> {
  const marks = new Set<string>()
  for (const run of COMBINING.split(' ')) {
    const [start = 0, count = 1] = numbers(run, '+')
    for (let at = 0; at < count; at++) marks.add(String.fromCodePoint(start + at))
  }
  return marks
}

const FOLDS = foldings()
const MARKS = combining()

/** Full case folding, as Unicode has it (statuses C and F, no Turkic rule): "Straße" and "STRASSE" are one. */
export function foldCase(text: string): string {
  let folded = ''
  for (const character of text) folded += FOLDS.get(character) ?? character
  return folded
}

/** A text without the characters whose canonical combining class is not 0: accents, virama, vowel points, tone marks. */
export function withoutMarks(text: string): string {
  let bare = ''
  for (const character of text) if (!MARKS.has(character)) bare += character
  return bare
}
