import type { RefObject } from 'react'
import { dayAndMonth, longDay, tickWords } from './dates.ts'
import { dayOf, endOf, placeOf, ticksOf, type Axis } from './days.ts'
import { TIMELINE as say } from './strings.ts'

interface AxisProps {
  readonly axis: Axis
  readonly day: number
  readonly today: number
  readonly width: number
  readonly onDay: (day: number) => void
  readonly ref: RefObject<HTMLDivElement | null>
}

/** Room that the name of a month needs. Pixels. */
const TICK = 84
const NAME = 48
export const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

/** The one date as a slider, on the axis that the bars share. */
export function DateAxis({ axis, day, today, width, onDay, ref }: AxisProps) {
  const place = placeOf(axis, endOf(day))
  const now = placeOf(axis, endOf(today))
  const nowInSight = now >= 0 && now <= 1
  // The word would stand upon the chosen day's.
  const nowNamed = nowInSight && Math.abs(now - place) * width > 74
  return (
    <div ref={ref} className="axis">
      <div className="rail" aria-hidden="true">
        <i style={{ width: percent(place) }} />
      </div>
      {ticksOf(axis, Math.max(1, width / TICK)).map((tick) => {
        const start = Math.max(0, placeOf(axis, endOf(tick.day - 1)))
        // At the very end there is room for the line alone, which the lanes draw.
        if ((1 - start) * width < NAME) return null
        return (
          <time key={tick.day} aria-hidden="true" style={{ insetInlineStart: percent(start) }}>
            {tickWords(tick)}
          </time>
        )
      })}
      {nowNamed && (
        <span className="mark" aria-hidden="true" style={{ insetInlineStart: percent(now) }}>
          {say.todayMark}
        </span>
      )}
      <span className="mark on" aria-hidden="true" style={{ insetInlineStart: percent(place) }}>
        {dayAndMonth(day)}
      </span>
      <i className="stem" aria-hidden="true" style={{ insetInlineStart: percent(place) }} />
      <input
        type="range"
        className="as-of"
        aria-label={say.slider}
        aria-valuetext={longDay(day)}
        min={axis.first}
        max={axis.last}
        step={1}
        value={day}
        onChange={(event) => onDay(Number(event.target.value))}
      />
    </div>
  )
}

/** Lines behind the bars of a lane: beginnings of the months, and today; and the chosen day across them. */
export function Rulers({ axis, day, now, width }: { axis: Axis; day: number; now: number; width: number }) {
  const today = placeOf(axis, endOf(dayOf(now)))
  return (
    <>
      {ticksOf(axis, Math.max(1, width / TICK)).map((tick, at) => (
        <i
          hidden={at === 0 && tick.day === axis.first}
          key={tick.day}
          className="grid"
          style={{ insetInlineStart: percent(placeOf(axis, endOf(tick.day - 1))) }}
        />
      ))}
      {today >= 0 && today <= 1 && <i className="now" style={{ insetInlineStart: percent(today) }} />}
      <i className="ruler" style={{ insetInlineStart: percent(placeOf(axis, endOf(day))) }} />
    </>
  )
}
