import { isSafeNumber, parse as parseLossless, stringify as stringifyLossless } from 'lossless-json'
import { LoomError } from './errors.ts'

/**
 * JSON without loss of digits. Integers past 2^53 (versions, and numbers inside values) are bigint in memory and raw
 * integers on the wire; everything else is what JSON.parse makes of it.
 */

/** Sixteen digits in a row can hide an integer that a double cannot hold. Short texts without any take the fast path. */
const LONG_DIGITS = /\d{16}/

const DEEPEST = 200

function readNumber(text: string): number | bigint {
  if (/^-?\d+$/.test(text) && !isSafeNumber(text)) return BigInt(text)
  return Number(text)
}

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

/**
 * Parses one JSON text.
 * @throws LoomError INVALID_JSON, saying where the text is broken as far as the parser knows.
 */
export function parseJson(text: string): unknown {
  refuseDeep(text)
  try {
    return LONG_DIGITS.test(text) ? parseLossless(text, undefined, { parseNumber: readNumber }) : (JSON.parse(text) as unknown)
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : 'not JSON'
    throw new LoomError('INVALID_JSON', `The body is not valid JSON: ${why}.`)
  }
}

function hasBigint(value: unknown): boolean {
  if (typeof value === 'bigint') return true
  if (typeof value !== 'object' || value === null) return false
  for (const member of Array.isArray(value) ? value : Object.values(value)) if (hasBigint(member)) return true
  return false
}

/** Writes one JSON text; bigint becomes a raw integer. `space` indents for people. */
export function stringifyJson(value: unknown, space?: number): string {
  if (!hasBigint(value)) return JSON.stringify(value, undefined, space)
  return stringifyLossless(value, undefined, space) ?? 'null'
}
