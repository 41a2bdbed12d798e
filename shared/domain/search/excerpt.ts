import { analyseText } from './analyser.ts'
import { tokensOf } from './pieces.ts'

export const EXCERPT_LENGTH = 300

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** The nearest cut at or before `at` that leaves surrogate pairs whole. */
function safeCut(text: string, at: number): number {
  return at > 0 && at < text.length && isLowSurrogate(text.charCodeAt(at)) ? at - 1 : at
}

/** The first `max` UTF-16 units of a text, one less where that would cut a surrogate pair. */
export function startOf(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, safeCut(text, max))
}

/** Places in the text that hold a wanted term, in order. */
function placesOf(text: string, wanted: ReadonlySet<string>): { readonly at: number; readonly term: string }[] {
  const places: { at: number; term: string }[] = []
  for (const token of tokensOf(text)) {
    for (const term of analyseText(token.raw).terms.keys()) {
      if (!wanted.has(term)) continue
      const inside = token.raw.toLowerCase().indexOf(term)
      places.push({ at: token.index + Math.max(0, inside), term })
    }
  }
  return places.sort((a, b) => a.at - b.at)
}

/** Start of the window of `size` that holds the most different terms, the earliest of equals. */
function bestStart(places: readonly { readonly at: number; readonly term: string }[], size: number): number {
  let best = 0
  let bestCount = 0
  const inside = new Map<string, number>()
  let tail = 0
  for (const place of places) {
    inside.set(place.term, (inside.get(place.term) ?? 0) + 1)
    for (let first = places[tail]; first !== undefined && place.at - first.at > size; first = places[++tail]) {
      const left = (inside.get(first.term) ?? 1) - 1
      if (left === 0) inside.delete(first.term)
      else inside.set(first.term, left)
    }
    if (inside.size > bestCount) {
      bestCount = inside.size
      best = places[tail]?.at ?? 0
    }
  }
  return best
}

/**
 * Up to `max` UTF-16 units of a text around the place that holds most of the terms (of `queryTerms`), with
 * "…" where it was cut. Cuts fall between words when one is near, and never inside a surrogate pair.
 */
export function excerpt(text: string, terms: ReadonlySet<string>, max = EXCERPT_LENGTH): string {
  if (text.length <= max) return text
  const room = max - 2
  const match = terms.size === 0 ? 0 : bestStart(placesOf(text, terms), room - 60)
  let from = Math.min(Math.max(0, match - 40), text.length - room)
  if (from > 0) {
    const space = text.slice(from, Math.min(from + 40, match)).search(/\s/)
    if (space >= 0) from += space + 1
    from = safeCut(text, from)
  }
  let to = Math.min(text.length, from + room)
  if (to < text.length) {
    const space = text.slice(to - 40, to + 1).search(/\s\S*$/)
    if (space > 0) to = to - 40 + space
    to = safeCut(text, to)
  }
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`
}
