import { DAY_NAMES, MONTH_NAMES } from '../text/calendar-names.ts'
import { WEEKEND, WORKING_DAYS } from './values/calendar.ts'
import { extractValues } from './values/extract.ts'
import { markIndex } from './values/steps.ts'
import { DAY, HOUR, MINUTE, MONTH } from './values/tables.ts'
import type { FoundValue } from './values/value.ts'

/** A number with at most four decimals. */
export const plainNumber = (value: number): string => String(Math.round(value * 1e4) / 1e4)

/** Minutes of the day as "17:00". */
export const clock = (minutes: number): string => `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`

const SPANS: readonly (readonly [seconds: number, name: string])[] = [
  [DAY, 'days'],
  [HOUR, 'hours'],
  [MINUTE, 'minutes'],
]
const SIZES: readonly (readonly [bytes: number, name: string])[] = [
  [1e12, 'tb'],
  [1e9, 'gb'],
  [1e6, 'mb'],
  [1e3, 'kb'],
]

function isWhole(count: number): boolean {
  return Math.abs(count - Math.round(count)) < 0.004 && Math.round(count) > 0
}

/** Seconds in the largest unit that they are a whole number of. */
export function span(seconds: number): string {
  if (isWhole(seconds / MONTH)) return `${Math.round(seconds / MONTH)} months`
  for (const [unit, name] of SPANS) if (seconds >= unit && isWhole(seconds / unit)) return `${Math.round(seconds / unit)} ${name}`
  return seconds >= DAY ? `${plainNumber(seconds / DAY)} days` : `${plainNumber(seconds)} seconds`
}

/** Bytes in the largest unit that does not go under 1. */
export function size(bytes: number): string {
  for (const [unit, name] of SIZES) if (bytes >= unit) return `${plainNumber(bytes / unit)} ${name}`
  return `${plainNumber(bytes)} b`
}

const LEADING_WORD = /^(by|in|since|until|from|before|after|of|en|im|bis|seit|vor|nach|de|till) /

/** The spelling of a value that the relation model was trained on. */
function spelling(value: FoundValue): string {
  switch (value.kind) {
    case 'time':
      return value.until === undefined ? clock(value.minutes) : `${clock(value.minutes)} to ${clock(value.until)}`
    case 'date': {
      const lead = LEADING_WORD.exec(value.raw)?.[1]
      return [lead, value.day, MONTH_NAMES[(value.month ?? 0) - 1], value.year].filter(Boolean).join(' ')
    }
    case 'weekdays':
      if (value.days === WORKING_DAYS) return 'on weekdays'
      if (value.days === WEEKEND) return 'on the weekend'
      return DAY_NAMES.filter((_, i) => (value.days >> i) & 1).join(' ')
    case 'money':
      return `${plainNumber(value.amount)} ${value.currency.toLowerCase()}`
    case 'duration':
      return `${value.working ? 'working ' : ''}${span(value.seconds)}`
    case 'frequency':
      return `every ${span(value.seconds)}`
    case 'quantity':
      return value.unit === 'B' ? size(value.amount) : `${plainNumber(value.amount)} ${value.unit}`.toLowerCase()
    case 'version':
      return `version ${value.version}`
    case 'offset':
      return `utc ${value.minutes < 0 ? 'minus' : 'plus'} ${clock(Math.abs(value.minutes))}`
    case 'number':
    case 'ordinal':
      return value.amount < 0 ? `minus ${plainNumber(-value.amount)}` : plainNumber(value.amount)
    case 'quarter':
      return `q${value.quarter}`
    case 'identifier':
      return value.raw
  }
}

/** "moved from Tuesday to Thursday" names two values, not a range. */
const CHANGE =
  /\b(moved|changed|switched|migrated|rescheduled|shifted|postponed|raised|increased|reduced|lowered|upgraded|renamed|went|cut|pushed|brought)\b([^.;]{0,40}?) from ([^.;]{1,30}?) to\b/gi

/**
 * A claim text in lower case with every time, date, weekday, span, sum, size and number in one spelling: what the
 * relation model was trained on, so that "5pm" and "17:00" are the same tokens. Reads the first 2,000 characters.
 */
export function normaliseValues(text: string): string {
  const { text: marked, found } = extractValues(text.slice(0, 2000).replace(CHANGE, '$1$2 from $3 over to'), false)
  return marked
    .replace(/([\p{Script=Latin}])?([\ue000-\uf8ff])/gu, (_, letter: string | undefined, mark: string) => {
      const value = found[markIndex(mark)]
      return (letter ? `${letter} ` : '') + (value ? spelling(value) : '')
    })
    .replace(/\bversion version\b/g, 'version')
    .replace(/\bon on\b/g, 'on')
    .replace(/\s+/g, ' ')
    .replace(/ ([.,;!?])/g, '$1')
    .trim()
}
