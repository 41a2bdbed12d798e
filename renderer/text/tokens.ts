/** A word and the white space behind it. `space` never takes part in a comparison. */
export interface Token {
  readonly word: string
  readonly space: string
}

// A time, a version, a path and a date are one word each, so that "09:00" against "10:00" is marked whole.
const PIECE = /\s+|[\p{L}\p{N}\p{M}]+(?:[.,:'’/_-][\p{L}\p{N}\p{M}]+)*|./gsu
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' })

/** Splits a text into words and marks, in any script; joined again, the tokens are the text. */
export function tokenize(text: string): Token[] {
  const tokens: { word: string; space: string }[] = []
  for (const [piece] of text.matchAll(PIECE)) {
    const last = tokens.at(-1)
    if (/^\s/.test(piece)) {
      if (last) last.space += piece
      else tokens.push({ word: '', space: piece })
    } else if (UNSPACED.test(piece)) {
      for (const { segment } of segmenter.segment(piece)) tokens.push({ word: segment, space: '' })
    } else tokens.push({ word: piece, space: '' })
  }
  return tokens
}
