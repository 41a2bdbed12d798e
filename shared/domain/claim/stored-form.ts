import { isObject, type Json } from './json.ts'

function writeNumber(value: number): string {
  // JSON has no minus zero worth keeping, and an integral double is written as the integer it is.
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : JSON.stringify(value)
}

/**
 * Compact JSON with members sorted by UTF-16 unit and integers digit for digit: how a value lies in the store.
 * Equal values have equal text.
 */
export function compactJson(value: Json): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'number') return writeNumber(value)
  if (isObject(value)) {
    const names = Object.keys(value).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
    return `{${names.map((name) => `${JSON.stringify(name)}:${compactJson(value[name] ?? null)}`).join(',')}}`
  }
  return `[${value.map(compactJson).join(',')}]`
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** The stored form: compact JSON with each non-ASCII UTF-16 unit as `\uXXXX` (KEY020). What content_sha256 is made of. */
export function storedForm(value: Json): string {
  return asciiOnly(compactJson(value))
}

/** Escapes each non-ASCII UTF-16 unit of a JSON text. */
export function asciiOnly(json: string): string {
  // oxlint-disable-next-line no-control-regex -- the class is "everything outside ASCII"
  return json.replace(/[^\x00-\x7f]/g, escapeUnit)
}

/** Length that a text has inside the stored form, its quotes not counted. */
export function storedLength(text: string): number {
  return asciiOnly(JSON.stringify(text)).length - 2
}
