import type { Json } from './json.ts'
import { EXCERPT_LIMIT, excerptRoom, fitting } from './excerpt.ts'
import { valueText } from './claim-text.ts'

const LAST_QUARTER = 0.75

function cutAtSpace(piece: string): string {
  for (let at = piece.length - 1; at >= piece.length * LAST_QUARTER; at--) if (/\s/.test(piece.charAt(at))) return piece.slice(0, at + 1)
  return piece
}

/**
 * Verbatim pieces of a long value, each at most 1,200 stored characters, cut at white space in the last quarter where
 * there is any; joined they are the value text. Empty when the stored form fits the excerpt (KEY017-020).
 */
export function chunksOf(value: Json, storedForm: string, key: string): string[] {
  if (storedForm.length <= excerptRoom(key)) return []
  const chunks: string[] = []
  let rest = valueText(value)
  while (rest !== '') {
    const piece = fitting(rest, EXCERPT_LIMIT)
    const cut = piece.length === rest.length ? piece : cutAtSpace(piece)
    chunks.push(cut)
    rest = rest.slice(cut.length)
  }
  return chunks
}
