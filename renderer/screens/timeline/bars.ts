import { placeOf, type Axis } from './days.ts'
import { agree, type Claim, type Standing } from './lanes.ts'

/** A bar of a lane; places are parts of the axis, from 0 to 1. */
export interface Bar {
  readonly key: string
  readonly from: number
  readonly until: number
  readonly text: string
  /** Versions that stand too close to be told apart, and are one bar. */
  readonly count: number
  /** It stood on the day that is shown. */
  readonly hit: boolean
  /** It was held on that day, and was over in the world. */
  readonly outlived: boolean
  /** It began before the axis does. */
  readonly cut: boolean
  /** It goes on after the axis ends. */
  readonly open: boolean
}

export type Row = 'truth' | 'held'

/** Beginnings closer than this are one bar. Pixels. */
const CLOSEST = 4

/** The bars of one row of a lane, on an axis that is `width` pixels wide. */
export function barsOf(claims: readonly Claim[], row: Row, axis: Axis, width: number, at: number, standing: Standing): Bar[] {
  const spans = claims
    .map((claim) => ({ claim, ...(row === 'truth' ? truthOf(claim) : heldOf(claim)) }))
    .filter(({ from, until }) => until > from)
    .toSorted((a, b) => a.from - b.from)
  const bars: Bar[] = []
  for (const { claim, from, until } of spans) {
    const [start, end] = [placeOf(axis, from), Number.isFinite(until) ? placeOf(axis, until) : Number.POSITIVE_INFINITY]
    if (end <= 0 || start >= 1) continue
    const bar: Bar = {
      key: claim.version,
      from: Math.max(0, start),
      until: Math.min(1, end),
      text: claim.text,
      count: 1,
      hit: standing[row] === claim,
      outlived: row === 'held' && standing.held === claim && !agree(standing) && claim.trueUntil <= at,
      cut: start < 0,
      open: end > 1,
    }
    const last = bars.at(-1)
    if (last && (bar.from - last.from) * width < CLOSEST) bars[bars.length - 1] = joined(last, bar)
    else bars.push(bar)
  }
  return bars
}

const truthOf = ({ trueFrom, trueUntil }: Claim) => ({ from: trueFrom, until: trueUntil })
const heldOf = ({ heldFrom, heldUntil }: Claim) => ({ from: heldFrom, until: heldUntil })

function joined(first: Bar, next: Bar): Bar {
  return {
    ...next,
    key: first.key,
    from: first.from,
    until: Math.max(first.until, next.until),
    count: first.count + 1,
    hit: first.hit || next.hit,
    outlived: first.outlived || next.outlived,
    cut: first.cut,
    open: first.open || next.open,
  }
}
