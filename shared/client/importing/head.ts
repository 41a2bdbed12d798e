import { encodingOf } from './bytes.ts'
import { isFields, type Fields } from './found.ts'

/** How much of a file is looked at to tell what it is. */
export const HEAD_BYTES = 64 * 1024

/** The start of a file, by which importers know what they read. Its name is not among it. */
export interface Head {
  /** As text, whatever is broken in it. */
  readonly text: string
  /** Lines that are there whole, without those that are empty. */
  readonly lines: readonly string[]
  /** First lines that are JSON objects, one a line. Empty for a document of several lines, and for an array. */
  readonly records: readonly Fields[]
  /** An array or an object that is not one record a line. */
  readonly isDocument: boolean
  /** A member of this name stands in it somewhere. */
  has(member: string): boolean
}

const MOST_RECORDS = 20

function recordsOf(lines: readonly string[]): Fields[] {
  const records: Fields[] = []
  let broken = 0
  for (const line of lines.slice(0, MOST_RECORDS)) {
    try {
      const value: unknown = JSON.parse(line)
      if (isFields(value)) records.push(value)
      else broken++
    } catch {
      broken++
    }
  }
  // Broken lines leave it what it is, while some are whole.
  return records.length * 2 >= broken ? records : []
}

export function headOf(bytes: Uint8Array, isWhole: boolean): Head {
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  const all = text.split(/\r?\n/)
  const lines = (isWhole || all.length === 1 ? all : all.slice(0, -1)).filter((line) => line.trim() !== '')
  const start = text.trimStart()[0] ?? ''
  const records = start === '[' ? [] : recordsOf(lines)
  return {
    text,
    lines,
    records,
    isDocument: start === '[' || (start === '{' && records.length === 0) || (records.length === 1 && lines.length === 1),
    has: (member) => text.includes(`"${member}"`) && new RegExp(`"${member}"\\s*:`).test(text),
  }
}

/** No text: an image, an archive, a program. */
export function isBinary(bytes: Uint8Array): boolean {
  return encodingOf(bytes) === 'utf-8' && bytes.subarray(0, 8192).includes(0)
}
