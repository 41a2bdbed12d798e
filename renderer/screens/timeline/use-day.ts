import { useMemo, useState } from 'react'
import { addMonths, axisOf, dayOf, instantOf, usualRange, type Axis, type Range } from './days.ts'
import { instantsOf, type Lane } from './lanes.ts'

export interface Day {
  readonly day: number
  readonly today: number
  /** The instant that the day stands for. */
  readonly at: number
  readonly axis: Axis
  readonly range: Range
  setDay(day: number): void
  /** Further or back by days, or by months. */
  step(by: number, months: boolean): void
  setRange(range: Range): void
}

const within = ({ first, last }: Axis, day: number): number => Math.min(Math.max(day, first), last)

/** The one date of the timeline, on the axis that its claims span. @param now what is known is known up to here */
export function useDay(lanes: readonly Lane[], now: number): Day {
  const today = dayOf(now)
  const [chosen, setChosen] = useState<number | null>(null)
  const [ranged, setRange] = useState<Range | null>(null)
  const usual = useMemo(() => usualRange(instantsOf(lanes), now), [lanes, now])
  const range = ranged ?? usual
  const axis = useMemo(() => axisOf(range, instantsOf(lanes), now), [range, lanes, now])
  const day = within(axis, chosen ?? today)
  const setDay = (to: number): void => setChosen(to === today ? null : within(axis, to))
  return {
    day,
    today,
    at: instantOf(day, now),
    axis,
    range,
    setDay,
    step: (by, months) => setDay(months ? addMonths(day, by) : day + by),
    setRange,
  }
}
