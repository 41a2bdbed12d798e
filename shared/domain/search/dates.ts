import { MONTH_NAMES } from '../text/calendar-names.ts'

/** A day, month or year that a query names; parts that it leaves open are null. Months count from 1. */
export interface NamedDate {
  readonly year: number | null
  readonly month: number | null
  readonly day: number | null
}

const NAME = `(${MONTH_NAMES.map((month) => (month.length > 4 ? `${month}|${month.slice(0, 3)}` : month)).join('|')}|sept)\\.?`
const DAY = '(\\d{1,2})(?:st|nd|rd|th)?'
const YEAR = '((?:19|20)\\d\\d)'
const DAY_MONTH = new RegExp(`\\b${DAY}\\s+(?:of\\s+)?${NAME}(?:,?\\s+${YEAR})?\\b`, 'i')
const MONTH_DAY = new RegExp(`\\b${NAME}\\s+${DAY}\\b(?:,?\\s+${YEAR}\\b)?`, 'i')
const MONTH_YEAR = new RegExp(`\\b${NAME},?\\s+(?:of\\s+)?${YEAR}\\b`, 'i')
const IN_MONTH = new RegExp(`\\b(?:in|during|since|of|last|this|early|late|mid)[\\s-]+${NAME}(?=\\W|$)`, 'i')
const ISO = /\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b/
const ONLY_YEAR = new RegExp(`\\b(?:in|during|since|of)\\s+${YEAR}\\b`, 'i')

function monthNumber(name: string | undefined): number | null {
  const start = name?.slice(0, 3).toLowerCase()
  const index = MONTH_NAMES.findIndex((month) => month.slice(0, 3) === start)
  return index < 0 ? null : index + 1
}

const number = (digits: string | undefined): number | null => (digits === undefined ? null : Number(digits))

/** The first date that an English or ISO text names, or null. Relative dates ("last week") are not read here. */
export function namedDate(text: string): NamedDate | null {
  let found = ISO.exec(text)
  if (found) return { year: number(found[1]), month: number(found[2]), day: number(found[3]) }
  found = DAY_MONTH.exec(text)
  if (found) return { year: number(found[3]), month: monthNumber(found[2]), day: number(found[1]) }
  found = MONTH_YEAR.exec(text)
  if (found) return { year: number(found[2]), month: monthNumber(found[1]), day: null }
  found = MONTH_DAY.exec(text)
  if (found) return { year: number(found[3]), month: monthNumber(found[1]), day: number(found[2]) }
  found = IN_MONTH.exec(text)
  if (found) return { year: null, month: monthNumber(found[1]), day: null }
  found = ONLY_YEAR.exec(text)
  if (found) return { year: number(found[1]), month: null, day: null }
  return null
}

/**
 * How well an instant (ms, read in UTC) fits a named date: 1.5 that day, 1 within the week after it or in that
 * month, less for the same month or the month after (what is told then happened before), 0 otherwise.
 */
export function dateFit(named: NamedDate, at: number): number {
  const when = new Date(at)
  const year = when.getUTCFullYear()
  const month = when.getUTCMonth() + 1
  const day = when.getUTCDate()
  if (named.month === null) return named.year === year ? 0.5 : 0
  if (named.month === month && (named.year === null || named.year === year)) {
    if (named.day === null) return 1
    if (named.day === day) return 1.5
    return day > named.day && day - named.day <= 7 ? 1 : 0.5
  }
  return named.year !== null && year * 12 + month - (named.year * 12 + named.month) === 1 ? 0.4 : 0
}

/** The first instant of a named date and the first after it (ms, UTC), or null where its year is open. */
export function rangeOf({ year, month, day }: NamedDate): { readonly from: number; readonly to: number } | null {
  if (year === null) return null
  if (month === null) return { from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) }
  if (day === null) return { from: Date.UTC(year, month - 1), to: Date.UTC(year, month) }
  return { from: Date.UTC(year, month - 1, day), to: Date.UTC(year, month - 1, day + 1) }
}

/** The words by which a document is found by its date: year, name of the month, day of the month (UTC). */
export function dateWords(at: number): string {
  const when = new Date(at)
  if (Number.isNaN(when.getTime())) return ''
  return `${when.getUTCFullYear()} ${MONTH_NAMES[when.getUTCMonth()]} ${when.getUTCDate()}`
}
