import type { RefObject } from 'react'
import { DateAxis } from './date-axis.tsx'
import { longDay } from './dates.ts'
import { TIMELINE as say } from './strings.ts'
import type { Day } from './use-day.ts'

interface AsOfProps {
  readonly date: Day
  readonly summary: string
  readonly width: number
  readonly plot: RefObject<HTMLDivElement | null>
}

/** The one date, in words and as a slider, and what it comes to. */
export function AsOf({ date, summary, width, plot }: AsOfProps) {
  const { day, today, axis, setDay, step } = date
  return (
    <section className="as-of-part" aria-label={say.slider}>
      <div className="line1">
        <h2 className="title">{say.asOf(longDay(day))}</h2>
        <span className="acts">
          <button type="button" className="btn sm" disabled={day <= axis.first} onClick={() => step(-1, false)}>
            {say.before}{' '}
            <kbd className="turn" aria-hidden="true">
              ←
            </kbd>
          </button>
          <button type="button" className="btn sm" disabled={day >= axis.last} onClick={() => step(1, false)}>
            {say.after}{' '}
            <kbd className="turn" aria-hidden="true">
              →
            </kbd>
          </button>
          <button type="button" className="btn sm" disabled={day === today} onClick={() => setDay(today)}>
            {say.today} <kbd aria-hidden="true">T</kbd>
          </button>
        </span>
      </div>
      <p role="status">{summary}</p>
      <DateAxis {...{ axis, day, today, width }} onDay={setDay} ref={plot} />
    </section>
  )
}
