import type { Outline, Part, Range } from './outline.ts'

/** Longest chunk in UTF-16 units. */
export const CHUNK_LIMIT = 1200

/** A piece of a document that is searched and cited by itself. */
export interface Chunk extends Range {
  readonly section: readonly string[]
  readonly page: number | null
  /** First and last line from 1; null where the document has no lines of its own. */
  readonly lines: { readonly from: number; readonly to: number } | null
}

const isSpace = (text: string, at: number): boolean => /\s/.test(text.charAt(at))
const isLow = (text: string, at: number): boolean => {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** A range without the white space at its ends; of one that is nothing else, an empty one. */
function trimmed(text: string, { from, to }: Range): Range {
  let start = from
  let end = to
  while (start < end && isSpace(text, start)) start++
  while (end > start && isSpace(text, end - 1)) end--
  return { from: start, to: end }
}

/** A blank line goes with what is before it; so does the white space after a sentence. */
const PARAGRAPH = /(?:\r\n|\n|\r)[ \t]*(?:\r\n|\n|\r)\s*/g
const SENTENCE = /(?:[.!?…]["'”’)\]]{0,3}\s+|[。！？][」』”’)]{0,3}\s*)/g
const LINE = /\r\n|\n|\r/g
const SPACE = /\s+/g

/** End of the last match in a window of the text that leaves something on both sides, or 0. */
function lastCut(window: string, pattern: RegExp): number {
  let cut = 0
  for (const match of window.matchAll(pattern)) {
    const end = match.index + match[0].length
    if (end > 0 && match.index > 0 && end <= window.length) cut = end
  }
  return cut
}

/** The solid range that a place lies in, or that begins before `end`. */
function solidAt(solid: readonly Range[], from: number, end: number): Range | undefined {
  let low = 0
  let high = solid.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (solid[middle]!.to <= from) low = middle + 1
    else high = middle
  }
  const found = solid[low]
  return found && found.from < end ? found : undefined
}

/** Where the text from `from` on is cut, `to` being too far. Each look is at one window: a text without an end of line costs no more. */
function cutBefore(text: string, from: number, to: number, solid: readonly Range[]): number {
  const end = Math.min(to, from + CHUNK_LIMIT)
  const block = solidAt(solid, from, end)
  // Before code or a table that would be cut, where something stands before it.
  if (block && block.from > from && block.to > end) return block.from
  const inside = block !== undefined && block.from <= from
  // A window that begins in a block and outgrows it is cut at the block's end.
  if (inside && block.to < end && block.to > from) return block.to
  const window = text.slice(from, end)
  const patterns = inside ? [LINE, SPACE] : [PARAGRAPH, SENTENCE, SPACE]
  for (const pattern of patterns) {
    const cut = lastCut(window, pattern)
    if (cut > 0) return from + cut
  }
  return isLow(text, end) ? end - 1 : end
}

/** Ranges of at most 1,200 units that make up a text range. */
export function piecesOf(text: string, range: Range, solid: readonly Range[] = []): Range[] {
  const pieces: Range[] = []
  let rest = trimmed(text, range)
  while (rest.to - rest.from > CHUNK_LIMIT) {
    const cut = cutBefore(text, rest.from, rest.to, solid)
    const piece = trimmed(text, { from: rest.from, to: cut })
    if (piece.to > piece.from) pieces.push(piece)
    rest = trimmed(text, { from: cut, to: rest.to })
  }
  if (rest.to > rest.from) pieces.push(rest)
  return pieces
}

const isAbove = (outer: readonly string[], inner: readonly string[]): boolean =>
  outer.length < inner.length && outer.every((heading, at) => inner[at] === heading)

/** Parts with text under them; a heading with none joins the next, unless the next one's path names it already. */
function filled(text: string, parts: readonly Part[]): Part[] {
  const made: Part[] = []
  let waiting: Part | null = null
  for (const part of parts) {
    const body = trimmed(text, part)
    if (body.to === body.from) {
      if (waiting === null || isAbove(waiting.path, part.path)) waiting = part.path.length > 0 ? part : waiting
      continue
    }
    const joins: boolean = waiting !== null && !isAbove(waiting.path, part.path) && waiting.page === part.page
    made.push(joins && waiting ? { ...part, from: waiting.heading } : part)
    waiting = null
  }
  // The last heading of all has nothing to join.
  if (waiting) made.push({ ...waiting, from: waiting.heading })
  return made
}

/** Counts lines from place to place; places must not go back. */
function createLineCounter(text: string): (place: number) => number {
  let line = 1
  let at = 0
  return (place) => {
    for (; at < place; at++) {
      const unit = text.charCodeAt(at)
      if (unit === 10 || (unit === 13 && text.charCodeAt(at + 1) !== 10)) line++
    }
    return line
  }
}

/** Cuts a document at its headings, and what is long under one of them further: the same document is cut alike everywhere. */
export function chunksOf({ text, parts, solid, hasLines }: Outline): Chunk[] {
  const lineAt = createLineCounter(text)
  return filled(text, parts).flatMap((part) =>
    piecesOf(text, part, solid).map(({ from, to }) => {
      const first = hasLines ? lineAt(from) : 0
      const lines = hasLines ? { from: first, to: lineAt(Math.max(from, to - 1)) } : null
      return { from, to, section: part.path, page: part.page, lines }
    }),
  )
}

/** What is embedded of a chunk, and the words that it is found by: title, heading path and body (KEY021). */
export function headOf(title: string, section: readonly string[]): string {
  return (section[0] === title ? section : [title, ...section]).filter((part) => part !== '').join(' › ')
}

export function embeddedText(title: string, section: readonly string[], body: string): string {
  return `${headOf(title, section)}\n${body}`
}
