import { locale } from '../../state/locale.ts'
import { shortDate } from '../../text/when.ts'
import { dayOf } from './days.ts'
import type { Claim, Lane, Standing } from './lanes.ts'
import { LANE as say } from './strings.ts'

/** The claim that stands for a lane on a day: what was true, else what was held, else what was learnt last. */
export function shownOf({ claims }: Lane, { truth, held }: Standing): Claim | null {
  return truth ?? held ?? claims.at(-1) ?? null
}

/** "true since 3 Aug · learnt 24 Aug, 21 days late" */
export function laneWords(lane: Lane, claim: Claim, at: number, now: Date): string {
  return [truthWords(claim, at, now), learntWords(claim, now), afterWords(lane, claim, at)].filter(Boolean).join(' · ')
}

const iso = (at: number): string => new Date(at).toISOString()

function truthWords({ trueFrom, trueUntil }: Claim, at: number, now: Date): string {
  const day = (instant: number): string => shortDate(iso(instant), now, locale)
  if (trueUntil <= trueFrom) return say.never
  if (trueFrom > at) return say.ahead(day(trueFrom))
  if (trueUntil <= at) return say.over(day(trueFrom), day(trueUntil))
  return Number.isFinite(trueUntil) ? say.until(day(trueUntil)) : say.since(day(trueFrom))
}

function learntWords({ trueFrom, heldFrom }: Claim, now: Date): string {
  const late = dayOf(heldFrom) - dayOf(trueFrom)
  const day = shortDate(iso(heldFrom), now, locale)
  if (late === 0) return say.sameDay
  if (late < 0) return say.inAdvance(day)
  return late === 1 ? say.dayLate : say.late(day, late)
}

function afterWords({ claims }: Lane, claim: Claim, at: number): string {
  if (claim.status === 'superseded') return say.replaced
  const isLast = !claims.some((other) => other.trueFrom >= claim.trueUntil && other.trueUntil > other.trueFrom)
  return claim.trueUntil <= at && isLast ? say.ended : ''
}
