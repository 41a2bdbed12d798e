import { parseJson } from '../../contract/json.ts'
import { asUtf8, decoded, joined, type Bytes } from './bytes.ts'

/** A JSON document of any size, an element at a time: those of the array that it is, or of the arrays that it holds. */
export type JsonItem =
  | { readonly key: string; readonly index: number; readonly line: number; readonly value: unknown }
  | { readonly key: string; readonly index: number; readonly line: number; readonly why: 'syntax' | 'encoding' | 'long' | 'deep' | 'cut' }

/** Most bytes of one element that is read. */
export const LONGEST_ITEM = 32 * 1024 * 1024
/** Most levels of one element. */
const DEEPEST = 512

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENS = new Set([0x5b, 0x7b])
const CLOSES = new Set([0x5d, 0x7d])
const COMMA = 0x2c
const COLON = 0x3a
const NEWLINE = 0x0a
const isSpace = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE

/** What a scan knows between two pieces. */
interface Scan {
  /** Level at which elements stand: 1 in an array, 2 in the arrays of an object. */
  readonly base: number
  depth: number
  inString: boolean
  escaped: boolean
  line: number
}

function read(bytes: Uint8Array): unknown {
  const text = decoded(bytes)
  if (text === null) return { why: 'encoding' } as const
  try {
    return { value: parseJson(text) }
  } catch {
    return { why: 'syntax' } as const
  }
}

/**
 * Elements of a JSON document in their order, each parsed by itself: a broken one is told with its line, and the next go
 * on. Of an object the elements of its arrays, under the name of the array; its other members are passed over.
 * Memory is bounded by the longest element.
 */
export async function* jsonItems(bytes: Bytes): AsyncGenerator<JsonItem> {
  let scan: Scan | null = null
  let line = 1
  /** Name of the member that is being read, of an object. */
  let key = ''
  let name: Uint8Array = new Uint8Array(0)
  let naming = false
  let index = 0
  /** Bytes of the element being read; null between elements. */
  let item: Uint8Array[] | null = null
  let size = 0
  let itemLine = 1
  let deep = false

  function* ended(): Generator<JsonItem> {
    if (item === null) return
    const at = { key, index, line: itemLine }
    const parts = item
    item = null
    if (size > LONGEST_ITEM) yield { ...at, why: 'long' }
    else if (deep) yield { ...at, why: 'deep' }
    else {
      const all = joined(parts)
      if (all.some((byte) => !isSpace(byte))) yield { ...at, ...(read(all) as { value: unknown }) }
      else index--
    }
    index++
  }

  for await (const piece of asUtf8(bytes)) {
    /** Where the part of the element that lies in this piece begins. */
    let from = 0
    const keep = (to: number): void => {
      if (item === null || to <= from) return
      size += to - from
      if (size <= LONGEST_ITEM) item.push(piece.slice(from, to))
      else item.length = 0
    }
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] as number
      if (byte === NEWLINE) line++
      if (scan === null) {
        if (isSpace(byte)) continue
        if (!OPENS.has(byte)) return
        scan = { base: byte === 0x5b ? 1 : 2, depth: 1, inString: false, escaped: false, line }
        if (scan.base === 1) {
          item = []
          size = 0
          deep = false
          from = at + 1
          itemLine = line
        }
        continue
      }
      if (scan.inString) {
        if (scan.escaped) scan.escaped = false
        else if (byte === BACKSLASH) scan.escaped = true
        else if (byte === QUOTE) {
          scan.inString = false
          naming = false
        }
        if (naming && name.length < 256) name = joined([name, piece.slice(at, at + 1)])
        continue
      }
      if (item !== null && size === 0 && from === at && isSpace(byte)) {
        from = at + 1
        itemLine = line
        continue
      }
      if (byte === QUOTE) {
        scan.inString = true
        if (scan.base === 2 && scan.depth === 1) {
          naming = true
          name = new Uint8Array(0)
        }
      } else if (OPENS.has(byte)) {
        scan.depth++
        if (scan.depth - scan.base > DEEPEST) deep = true
        if (scan.base === 2 && scan.depth === 2 && byte === 0x5b) {
          key = decoded(name) ?? ''
          index = 0
          item = []
          size = 0
          deep = false
          from = at + 1
          itemLine = line
        }
      } else if (CLOSES.has(byte)) {
        if (scan.depth === scan.base) {
          keep(at)
          yield* ended()
        }
        scan.depth--
        if (scan.depth <= 0) return
      } else if (byte === COMMA && scan.depth === scan.base && item !== null) {
        keep(at)
        yield* ended()
        item = []
        size = 0
        deep = false
        from = at + 1
        itemLine = line
      } else if (byte === COLON && scan.base === 2 && scan.depth === 1) key = decoded(name) ?? ''
    }
    keep(piece.length)
  }
  if (scan !== null) yield { key, index, line: itemLine, why: 'cut' }
}
