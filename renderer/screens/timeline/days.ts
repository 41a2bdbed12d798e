/** Days of the person's calendar, counted from 1 January 1970; and the axis that they stand on. */

const DAY_MS = 86_400_000
const LAST_MS = 86_399_999

/** The day of an instant, where the person is. */
export function dayOf(at: number): number {
  const date = new Date(at)
  return Math.round(Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY_MS)
}

/** The day's own date at midnight, where the person is. Days of 23 and 25 hours are days as well. */
export function dateOf(day: number): Date {
  const utc = new Date(day * DAY_MS)
  const date = new Date(0)
  date.setFullYear(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate())
  date.setHours(0, 0, 0, 0)
  return date
}

/** The last instant of a day. */
export function endOf(day: number): number {
  return dateOf(day + 1).getTime() - 1
}

/** The instant that a day stands for: its end, and of today this minute, since the rest of it is not known yet. */
export function instantOf(day: number, now: number): number {
  return dayOf(now) === day ? now : endOf(day)
}

/** The same day of another month; its last where that month is shorter. */
export function addMonths(day: number, months: number): number {
  const date = dateOf(day)
  const first = new Date(Date.UTC(date.getFullYear(), date.getMonth() + months, 1))
  const length = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate()
  return Math.round(first.getTime() / DAY_MS) + Math.min(date.getDate(), length) - 1
}

/** The first and the last day that can be chosen. */
export interface Axis {
  readonly first: number
  readonly last: number
}

export type Range = 'all' | 'year' | 'quarter' | 'month'

const BACK: Readonly<Record<Exclude<Range, 'all'>, number>> = { year: 12, quarter: 3, month: 1 }
/** Today never stands at the very edge. */
const AHEAD = 7
/** Fewer days than these make no axis. */
const LEAST = 28
const MOST_AT_FIRST = 2 * 366

/**
 * The axis of a range: the whole months from the first to the last of some instants, today among them, or the time
 * around today alone.
 */
export function axisOf(range: Range, instants: Iterable<number>, now: number): Axis {
  const today = dayOf(now)
  if (range !== 'all') return { first: addMonths(today, -BACK[range]), last: today + Math.max(AHEAD, Math.round(BACK[range] * 3)) }
  let [from, until] = [now, now]
  for (const at of instants) {
    if (at < from) from = at
    if (at > until) until = at
  }
  const start = dateOf(Math.min(dayOf(from) - 1, today - LEAST))
  return { first: dayOf(new Date(start.getFullYear(), start.getMonth(), 1).getTime()), last: Math.max(dayOf(until), today) + AHEAD }
}

/** What is shown before the person chooses: everything, unless that would make a day too small to see. */
export function usualRange(instants: Iterable<number>, now: number): Range {
  const { first, last } = axisOf('all', instants, now)
  return last - first > MOST_AT_FIRST ? 'year' : 'all'
}

/** Where an instant stands on the axis: 0 at its first day's end, 1 at its last's; beyond them for what is outside. */
export function placeOf({ first, last }: Axis, at: number): number {
  const from = endOf(first)
  return (at - from) / (endOf(last) - from)
}

export interface Tick {
  readonly day: number
  readonly unit: 'day' | 'month' | 'year'
}

const STEPS: readonly (readonly [unit: Tick['unit'], step: number])[] = [
  ['day', 1],
  ['day', 2],
  ['day', 7],
  ['month', 1],
  ['month', 3],
  ['year', 1],
  ['year', 5],
  ['year', 25],
  ['year', 100],
]
const DAYS_IN: Readonly<Record<Tick['unit'], number>> = { day: 1, month: 30, year: 365 }

/** Beginnings of days, months or years on the axis, not more of them than fit. */
export function ticksOf({ first, last }: Axis, most: number): Tick[] {
  const [unit, step] = STEPS.find(([name, size]) => (last - first) / (DAYS_IN[name] * size) <= most) ?? ['year', 500]
  const ticks: Tick[] = []
  const start = dateOf(first)
  for (let at = 0; ; at++) {
    const day =
      unit === 'day'
        ? first + at * step
        : unit === 'month'
          ? dayOf(new Date(start.getFullYear(), Math.floor(start.getMonth() / step) * step + at * step, 1).getTime())
          : yearStart(Math.floor(start.getFullYear() / step) * step + at * step)
    if (day > last) return ticks
    if (day >= first) ticks.push({ day, unit })
  }
}

function yearStart(year: number): number {
  const date = new Date(2000, 0, 1)
  date.setFullYear(year)
  return dayOf(date.getTime())
}

/** Days that lie between two instants, whole ones. */
export function daysBetween(from: number, until: number): number {
  return Math.floor(Math.max(0, until - from) / (LAST_MS + 1))
}
