import { LoomError } from './errors.ts'

/**
 * JSON without loss of digits: integers past 2^53 (versions, and numbers inside values) are bigint in memory and raw
 * integers on the wire; everything else is what JSON.parse makes of it. The engine's own parser does the work: long
 * integers pass it as marked strings. A parser in JavaScript that keeps digits took twenty times as long.
 */

/** Begins a marked string. A lone surrogate: no text that Loom takes or stores holds one, so nothing else looks like it. */
const MARK = '\ud8ff#'
const MARK_ESCAPED = '\\ud8ff#'
const MARKED = /"\\ud8ff#(-?\d+)"/g
const MARKED_VALUE = /^\ud8ff#(-?\d+)$/

/** Sixteen digits in a row can be an integer that a double cannot hold. */
const LONG_DIGITS = /\d{16}/
/** A string, or a number of sixteen digits or more: what is inside strings stays as it is. */
const STRING_OR_LONG = /"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?:\.\d+)?(?:[eE][+-]?\d+)?/g

const DEEPEST = 200

/** Fails before a hostile text can exhaust the stack of the parser. */
function refuseDeep(text: string): void {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    if (inString) {
      if (unit === 0x5c) at++
      else if (unit === 0x22) inString = false
    } else if (unit === 0x22) inString = true
    else if (unit === 0x5b || unit === 0x7b) {
      if (++depth > DEEPEST) throw new LoomError('INVALID_JSON', `The JSON nests deeper than ${DEEPEST} levels. Send a flatter value.`)
    } else if (unit === 0x5d || unit === 0x7d) depth--
  }
}

function markLong(token: string): string {
  return /^-?\d+$/.test(token) && !Number.isSafeInteger(Number(token)) ? `"${MARK_ESCAPED}${token}"` : token
}

function unmark(_name: string, value: unknown): unknown {
  const marked = typeof value === 'string' ? MARKED_VALUE.exec(value) : null
  return marked?.[1] === undefined ? value : BigInt(marked[1])
}

function parseLossless(text: string): unknown {
  if (/\\ud8ff#|\ud8ff#/i.test(text)) throw new SyntaxError('a string holds a lone surrogate')
  return JSON.parse(text.replace(STRING_OR_LONG, markLong), unmark) as unknown
}

/**
 * Parses one JSON text.
 * @throws LoomError INVALID_JSON, saying where the text is broken as far as the parser knows.
 */
export function parseJson(text: string): unknown {
  refuseDeep(text)
  try {
    return LONG_DIGITS.test(text) ? parseLossless(text) : (JSON.parse(text) as unknown)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : 'not JSON'
    throw new LoomError('INVALID_JSON', `The body is not valid JSON: ${why}.`)
  }
}

/** Writes one JSON text; bigint becomes a raw integer. `space` indents for people. */
export function stringifyJson(value: unknown, space?: number): string {
  let marked = false
  const text = JSON.stringify(
    value,
    (_name, member: unknown) => {
      if (typeof member !== 'bigint') return member
      marked = true
      return `${MARK}${member}`
    },
    space,
  )
  return marked ? text.replace(MARKED, '$1') : (text ?? 'null')
}
