/** Sources as bytes that come a piece at a time: nothing here holds more of one than it must. */

export type Bytes = AsyncIterable<Uint8Array>

/** A file of a source. It is read once. */
export interface SourceFile {
  readonly path: string
  readonly bytes: Bytes
}

const EMPTY = new Uint8Array(0)

/** Pieces one after another; a single one is given back itself. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [first, ...more] = pieces
  if (more.length === 0) return first ?? EMPTY
  const all = new Uint8Array(pieces.reduce((size, piece) => size + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}

/** The first bytes of a source, and the source from its start. */
export async function peek(bytes: Bytes, length: number): Promise<{ head: Uint8Array; bytes: Bytes }> {
  const iterator = bytes[Symbol.asyncIterator]()
  let head: Uint8Array = EMPTY
  let ended = false
  while (head.length < length && !ended) {
    const next = await iterator.next()
    if (next.done) ended = true
    else head = joined([head, next.value])
  }
  async function* again(): AsyncGenerator<Uint8Array> {
    try {
      if (head.length > 0) yield head
      while (!ended) {
        const next = await iterator.next()
        if (next.done) return
        yield next.value
      }
    } finally {
      await iterator.return?.()
    }
  }
  return { head: head.subarray(0, length), bytes: again() }
}

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be'

/** What the mark at the start of a text says of it; without one it is UTF-8. */
export function encodingOf(head: Uint8Array): Encoding {
  if (head[0] === 0xff && head[1] === 0xfe) return 'utf-16le'
  if (head[0] === 0xfe && head[1] === 0xff) return 'utf-16be'
  return 'utf-8'
}

/** Bytes of a text as UTF-8: what Windows writes as UTF-16 is turned. Broken UTF-8 stays as it is, for who reads its lines. */
export async function* asUtf8(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const { head, bytes: whole } = await peek(bytes, 3)
  const encoding = encodingOf(head)
  if (encoding !== 'utf-8') {
    const decoder = new TextDecoder(encoding)
    const encoder = new TextEncoder()
    for await (const piece of whole) yield encoder.encode(decoder.decode(piece, { stream: true }))
    yield encoder.encode(decoder.decode())
    return
  }
  let skip = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0
  for await (const piece of whole) {
    const dropped = Math.min(skip, piece.length)
    skip -= dropped
    if (piece.length > dropped) yield piece.subarray(dropped)
  }
}

const STRICT = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Bytes as text, or null where they are no UTF-8. */
export function decoded(bytes: Uint8Array): string | null {
  try {
    return STRICT.decode(bytes)
  } catch {
    return null
  }
}

/** A line of a text. `text` is null where it is no UTF-8, or longer than may be held. */
export interface Line {
  readonly line: number
  readonly text: string | null
  readonly why: '' | 'encoding' | 'long'
}

const NEWLINE = 0x0a
/** Most bytes of a line that is read; what is longer is passed over. */
export const LONGEST_LINE = 8 * 1024 * 1024

function lineOf(line: number, bytes: Uint8Array): Line {
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length
  const text = decoded(bytes.subarray(0, end))
  return { line, text, why: text === null ? 'encoding' : '' }
}

/** The lines of a text, up to `longest` bytes each. Memory is bounded by the longest line. */
export async function* linesOf(bytes: Bytes, longest = LONGEST_LINE): AsyncGenerator<Line> {
  let line = 1
  let kept: Uint8Array[] = []
  let size = 0
  const whole = (): Line => {
    if (size > longest) return { line, text: null, why: 'long' }
    return lineOf(line, joined(kept))
  }
  for await (const piece of asUtf8(bytes)) {
    let from = 0
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, from)) {
      const part = piece.subarray(from, at)
      size += part.length
      if (size <= longest) kept.push(part)
      yield whole()
      kept = []
      size = 0
      line++
      from = at + 1
    }
    const rest = piece.subarray(from)
    size += rest.length
    if (size <= longest) kept.push(rest.slice())
    else kept = []
  }
  if (size > 0) yield whole()
}

/** A whole text that is small enough to hold; null where it is longer. */
export async function wholeText(bytes: Bytes, most: number): Promise<{ text: string; broken: boolean } | null> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const piece of asUtf8(bytes)) {
    size += piece.length
    if (size > most) return null
    parts.push(piece.slice())
  }
  const all = joined(parts)
  const text = decoded(all)
  return text === null ? { text: new TextDecoder().decode(all), broken: true } : { text, broken: false }
}
