export type Period = 'day' | 'week' | 'month'

const DAY_MS = 86_400_000

/** The first instant of the period that holds an instant (ms, UTC; weeks from Monday). */
export function periodStart(period: Period, at: number): number {
  const when = new Date(at)
  if (period === 'month') return Date.UTC(when.getUTCFullYear(), when.getUTCMonth())
  const day = Math.floor(at / DAY_MS) * DAY_MS
  return period === 'day' ? day : day - ((new Date(day).getUTCDay() + 6) % 7) * DAY_MS
}

/** The first instant after the period that begins then. */
export function periodEnd(period: Period, start: number): number {
  if (period === 'month') return Date.UTC(new Date(start).getUTCFullYear(), new Date(start).getUTCMonth() + 1)
  return start + (period === 'week' ? 7 : 1) * DAY_MS
}
