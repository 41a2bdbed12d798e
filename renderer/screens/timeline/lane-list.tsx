import type { Ref } from 'react'
import { FixedRows, type RowsHandle } from '../../parts/fixed-rows.tsx'
import { barsOf, type Bar, type Row } from './bars.ts'
import { percent, Rulers } from './date-axis.tsx'
import type { Axis } from './days.ts'
import { laneWords, shownOf } from './lane-words.ts'
import { standingAt, type Lane } from './lanes.ts'
import { LANE, TIMELINE as say } from './strings.ts'

interface ListProps {
  readonly lanes: readonly Lane[]
  readonly activeId: string | null
  readonly axis: Axis
  readonly day: number
  readonly at: number
  readonly now: Date
  readonly width: number
  /** Bars are drawn once every version is here; until then a lane could change under the eyes. */
  readonly ready: boolean
  /** Labels above the bars, not beside them. */
  readonly stacked: boolean
  readonly onChoose: (id: string) => void
  readonly ref: Ref<RowsHandle>
}

const BESIDE = 64
const STACKED = 122
/** A bar narrower than this has no room for a letter and three dots. Pixels. */
const LEGIBLE = 40
const laneId = (id: string): string => `lane-${id}`

/** A row for each key with two bars, of which only those in sight exist. To a screen reader a list: key, true, held. */
export function LaneList({ lanes, activeId, axis, day, at, now, width, ready, stacked, onChoose, ref }: ListProps) {
  const height = stacked ? STACKED : BESIDE
  return (
    <FixedRows items={lanes} chosen={activeId} rowId={laneId} height={height} className="lanes" label={say.list} ref={ref}>
      {(lane, index, start) => (
        <LaneRow
          key={lane.id}
          {...{ lane, axis, day, at, now, width, ready, start, height, onChoose }}
          active={lane.id === activeId}
          place={index + 1}
          total={lanes.length}
        />
      )}
    </FixedRows>
  )
}

interface LaneRowProps extends Pick<ListProps, 'axis' | 'day' | 'at' | 'now' | 'width' | 'ready' | 'onChoose'> {
  readonly lane: Lane
  readonly active: boolean
  readonly place: number
  readonly total: number
  readonly start: number
  readonly height: number
}

function LaneRow({ lane, axis, day, at, now, width, ready, active, place, total, start, height, onChoose }: LaneRowProps) {
  const standing = standingAt(lane, at)
  const shown = shownOf(lane, standing)
  const name = LANE.name(lane.key, standing.truth?.text ?? LANE.nothing, standing.held?.text ?? LANE.nothing)
  const bars = (row: Row) => barsOf(lane.claims, row, axis, width, at, standing)
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the list has the focus and the keys
    <div
      id={laneId(lane.id)}
      role="option"
      tabIndex={-1}
      aria-selected={active}
      aria-setsize={total}
      aria-posinset={place}
      aria-label={name}
      className={active ? 'lane-row on' : 'lane-row'}
      style={{ transform: `translateY(${start}px)`, height }}
      onClick={() => onChoose(lane.id)}
    >
      <div className="label">
        <span className="k">
          <code>
            <bdi>{lane.key}</bdi>
          </code>
        </span>
        <span className="v" dir="auto">
          {shown?.text}
        </span>
        <span className="tags">{shown && laneWords(lane, shown, at, now)}</span>
      </div>
      <div className="lane" aria-hidden="true">
        {ready && (
          <div className="plot">
            <Rulers axis={axis} day={day} now={now.getTime()} width={width} />
            {bars('truth').map((bar) => (
              <BarPart key={bar.key} bar={bar} row="truth" width={width} />
            ))}
            {bars('held').map((bar) => (
              <BarPart key={bar.key} bar={bar} row="held" width={width} />
            ))}
          </div>
        )}
      </div>
    </div>
  )
}

function BarPart({ bar, row, width }: { bar: Bar; row: Row; width: number }) {
  const classes = ['bar-of', `in-${row}`, bar.hit && 'hit', bar.outlived && 'outlived', bar.cut && 'cut', bar.open && 'open']
  const legible = (bar.until - bar.from) * width >= LEGIBLE
  return (
    <span
      className={classes.filter(Boolean).join(' ')}
      style={{ insetInlineStart: percent(bar.from), inlineSize: `max(3px, calc(${percent(bar.until - bar.from)} - 2px))` }}
    >
      {legible && bar.count > 1 && <b>{LANE.versions(bar.count)}</b>}
      {legible && <span dir="auto">{bar.text}</span>}
    </span>
  )
}
