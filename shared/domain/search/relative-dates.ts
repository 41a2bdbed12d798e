import { DAY_NAMES } from '../text/calendar-names.ts'
import { namedDate, type NamedDate } from './dates.ts'

const DAY_MS = 86_400_000
const COUNTED = /\b(\d{1,3}|an?|one|two|three|four|five|six) (day|week|month|year)s? ago\b/i
const LAST_OR_THIS = /\b(last|this) (week|month|year)\b/i
const LAST_WEEKDAY = new RegExp(`\\blast (${DAY_NAMES.join('|')})\\b`, 'i')
const DAYS: readonly (readonly [RegExp, number])[] = [
  [/\bday before yesterday\b/i, 2],
  [/\byesterday\b|\blast night\b/i, 1],
  [/\btoday\b|\bthis morning\b|\btonight\b/i, 0],
]
const WORDS: Readonly<Record<string, number>> = { a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6 }

const dayOf = (at: Date): NamedDate => ({ year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() })

function before(now: Date, count: number, unit: string): NamedDate {
  if (unit === 'year') return { year: now.getUTCFullYear() - count, month: null, day: null }
  if (unit === 'month') return { ...dayOf(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - count, 1))), day: null }
  return dayOf(new Date(now.getTime() - count * (unit === 'week' ? 7 : 1) * DAY_MS))
}

const sinceMonday = (now: Date): number => (now.getUTCDay() + 6) % 7
/** A week is told by its Monday: the fit of a date reaches seven days on. */
const monday = (now: Date): Date => new Date(now.getTime() - sinceMonday(now) * DAY_MS)

/** The day, month or year that an English text means by "yesterday" or "two weeks ago", counted from `now` in UTC. */
export function relativeDate(text: string, now: Date): NamedDate | null {
  const counted = COUNTED.exec(text)
  if (counted) {
    const [, many = '', unit = ''] = counted
    return before(now, WORDS[many.toLowerCase()] ?? Number(many), unit.toLowerCase())
  }
  const named = LAST_OR_THIS.exec(text)
  if (named) {
    const back = named[1]?.toLowerCase() === 'last' ? 1 : 0
    const unit = named[2]?.toLowerCase() ?? ''
    return unit === 'week' ? before(monday(now), back, 'week') : before(now, back, unit)
  }
  const weekday = LAST_WEEKDAY.exec(text)?.[1]?.toLowerCase()
  if (weekday !== undefined) {
    const since = (sinceMonday(now) - DAY_NAMES.findIndex((day) => day === weekday) + 7) % 7
    return before(now, since === 0 ? 7 : since, 'day')
  }
  const found = DAYS.find(([pattern]) => pattern.test(text))
  return found ? before(now, found[1], 'day') : null
}

/** The date that a query means: one that it names, else one told from now. */
export function queryDate(text: string, now: Date): NamedDate | null {
  return namedDate(text) ?? relativeDate(text, now)
}
