import type { PlacedValue } from './analyse.ts'
import type { ValuePair } from './compare-values.ts'
import type { Token } from './tokens.ts'
import { DAY_NAMES, MONTH_NAMES } from '../text/calendar-names.ts'
import { clock, plainNumber, size, span } from './values.ts'
import { WEEKEND, WORKING_DAYS } from './values/calendar.ts'
import { WEEK } from './values/tables.ts'

/** Words for what was found, for the reason of a verdict. */

const capital = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)

/** "Monday to Thursday" for three days or more in a row, else "Tuesday, Thursday". */
function weekdays(days: number): string {
  if (days === WORKING_DAYS) return 'Monday to Friday'
  if (days === WEEKEND) return 'the weekend'
  const indexes = DAY_NAMES.flatMap((_, i) => ((days >> i) & 1 ? [i] : []))
  const names = indexes.map((i) => capital(DAY_NAMES[i] as string))
  const inRow = indexes.length > 2 && indexes.every((day, i) => i === 0 || day === (indexes[i - 1] as number) + 1)
  return inRow ? `${names[0]} to ${names.at(-1)}` : names.join(', ')
}

const MAX_QUOTED = 60

function quoted(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED).replace(/[\ud800-\udbff]$/, '')}…` : text
}

/** "2 weeks", "1 month", "90 seconds". */
function spanInWords(seconds: number): string {
  const weeks = seconds / WEEK
  const text = Number.isInteger(weeks) && weeks > 0 && weeks < 5 ? `${weeks} weeks` : span(seconds)
  return text.replace(/^1 (\w+)s$/, '1 $1')
}

/** A value as a person writes it. */
export function valueInWords(value: PlacedValue): string {
  switch (value.kind) {
    case 'time':
      return value.until === undefined ? clock(value.minutes) : `${clock(value.minutes)} to ${clock(value.until)}`
    case 'date':
      return [value.day, value.month && capital(MONTH_NAMES[value.month - 1] ?? ''), value.year].filter(Boolean).join(' ')
    case 'weekdays':
      return weekdays(value.days)
    case 'money':
      return `${plainNumber(value.amount)} ${value.currency}`
    case 'duration':
      return spanInWords(value.seconds)
    case 'frequency':
      return `every ${spanInWords(value.seconds)}`.replace(/^every 1 /, 'every ')
    case 'quantity':
      return value.unit === 'B' ? size(value.amount).toUpperCase() : quoted(value.raw)
    case 'version':
      return `v${quoted(value.version)}`
    case 'ordinal':
    case 'number':
      return plainNumber(value.amount)
    case 'offset':
    case 'quarter':
    case 'identifier':
      return quoted(value.raw)
  }
}

const NOUNS: Readonly<Record<PlacedValue['kind'], string>> = {
  time: 'Times',
  date: 'Dates',
  weekdays: 'Days',
  money: 'Amounts',
  duration: 'Durations',
  frequency: 'Frequencies',
  quantity: 'Quantities',
  version: 'Versions',
  offset: 'Time zones',
  number: 'Numbers',
  ordinal: 'Positions',
  quarter: 'Quarters',
  identifier: 'Names',
}

/** "Days differ: Tuesday, Thursday against Monday to Thursday." The peer's value first, then the new claim's. */
export function valuesDiffer([mine, theirs]: ValuePair): string {
  const noun = mine.kind === theirs.kind ? NOUNS[mine.kind] : 'Values'
  return `${noun} differ: ${valueInWords(theirs)} against ${valueInWords(mine)}.`
}

/** "Names differ: Bob against Alice." */
export function wordsDiffer(noun: string, pair: { a: Token; b: Token } | undefined): string {
  return pair ? `${noun} differ: ${quoted(pair.b.raw)} against ${quoted(pair.a.raw)}.` : `${noun} differ.`
}

/** "One claim affirms what the other denies: 'merge'." */
export function denied(token: Token | undefined): string {
  return token ? `One claim denies what the other says: "${quoted(token.raw)}".` : 'One claim denies what the other says.'
}

/** "Adds Berlin, 17:00." */
export function adds(words: readonly Token[], values: readonly PlacedValue[]): string {
  const parts = [...values.map(valueInWords), ...words.map((word) => quoted(word.raw))].slice(0, 4)
  return parts.length ? parts.join(', ') : 'detail'
}
