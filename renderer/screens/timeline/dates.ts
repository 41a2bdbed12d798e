import { locale } from '../../state/locale.ts'
import { dateOf, type Axis, type Tick } from './days.ts'

const ENGLISH = locale.startsWith('en') ? 'en-GB' : locale
const format = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat => new Intl.DateTimeFormat(ENGLISH, options)
const LONG = format({ day: 'numeric', month: 'long', year: 'numeric' })
const DAY = format({ day: 'numeric', month: 'long' })
const SHORT = format({ day: 'numeric', month: 'short' })
const MONTH = format({ month: 'long' })
const MONTH_OF_YEAR = format({ month: 'long', year: 'numeric' })
const YEAR = format({ year: 'numeric' })

/** `20 August 2026` */
export const longDay = (day: number): string => LONG.format(dateOf(day))

/** `20 August` */
export const dayAndMonth = (day: number): string => DAY.format(dateOf(day))

/** `June to December 2026`, or with both years where there are two. */
export function spanWords({ first, last }: Axis, words: (from: string, until: string) => string): string {
  const [from, until] = [dateOf(first), dateOf(last)]
  const sameYear = from.getFullYear() === until.getFullYear()
  if (sameYear && from.getMonth() === until.getMonth()) return MONTH_OF_YEAR.format(until)
  return words((sameYear ? MONTH : MONTH_OF_YEAR).format(from), MONTH_OF_YEAR.format(until))
}

/** What stands beside a tick: its month, its day, or its year; January tells the year. */
export function tickWords({ day, unit }: Tick): string {
  const date = dateOf(day)
  if (unit === 'year') return YEAR.format(date)
  if (unit === 'day') return SHORT.format(date)
  return date.getMonth() === 0 ? YEAR.format(date) : MONTH.format(date)
}
