import type { FoundValue, Value } from './value.ts'

/** Text in the making: values already read are replaced by a mark that nothing else matches. */
export interface Reading {
  text: string
  readonly found: FoundValue[]
}

/** One step over the text: respells a part of it, or reads values out of it. Steps run in order. */
export type Step = (reading: Reading) => void

type Groups = readonly (string | undefined)[]

const FIRST_MARK = 0xe000
const MARKS = 0xf8ff - FIRST_MARK

/** Characters that marks are made of; a text is cleared of them before it is read. */
export const MARK = /[\ue000-\uf8ff]/g

/** Index of the value that a mark stands for. */
export function markIndex(mark: string): number {
  return mark.charCodeAt(0) - FIRST_MARK
}

/** A step that respells. */
export function rewrite(pattern: RegExp, replacement: string | ((...match: string[]) => string)): Step {
  return (reading) => {
    reading.text = reading.text.replace(pattern, replacement as string)
  }
}

/** Digits without end are no number that compares. */
function isFinite(value: Value): boolean {
  return Object.values(value).every((part) => typeof part !== 'number' || Number.isFinite(part))
}

/**
 * A step that reads values. `read` is given the groups, the whole match first, and answers null to leave it alone.
 * What was read becomes a mark, filled with spaces to its length so that offsets hold.
 */
export function read(pattern: RegExp, read: (groups: Groups) => Value | null): Step {
  return (reading) => {
    reading.text = reading.text.replace(pattern, (...match: unknown[]) => {
      const whole = match[0] as string
      const value = reading.found.length < MARKS ? read(match.slice(0, -2) as Groups) : null
      if (!value || !isFinite(value)) return whole
      reading.found.push({ ...value, raw: whole.trim(), at: match[match.length - 2] as number })
      return String.fromCharCode(FIRST_MARK + reading.found.length - 1) + ' '.repeat(Math.max(0, whole.length - 1))
    })
  }
}

/** Digits with thousands separators and a fraction, as a group. */
export const NUMBER = `(\\d+(?:[.,' ]\\d{3})*(?:[.,]\\d+)?)`
