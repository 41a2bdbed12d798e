import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useLiveUpdates, useRecovery } from '../../data/live.ts'
import { useEngineInfo } from '../../data/queries.ts'
import { useTimeline, type About, type Timeline } from '../../data/timeline.ts'
import { TopBar } from '../../parts/narrow-bars.tsx'
import type { ScreenProps } from '../../parts/sections-screen.tsx'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { useNow } from '../../state/locale.ts'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { useRoute } from '../../state/route.ts'
import { Answers } from './answers.tsx'
import { AsOf } from './as-of.tsx'
import { spanWords } from './dates.ts'
import { Head } from './head.tsx'
import type { RowsHandle } from '../../parts/fixed-rows.tsx'
import { LaneList } from './lane-list.tsx'
import { lanesAbout, lanesOf, namesIn, tallyOf } from './lanes.ts'
import { NoLanes } from './lane-states.tsx'
import { TIMELINE as say } from './strings.ts'
import { useDay } from './use-day.ts'
import { useTimelineKeys } from './use-timeline-keys.ts'

const EVERYTHING: About = { entity: '', tag: '' }

/** The window filters what it holds; only where that is not all there is, the engine does. */
function useAbout(namespace: string, about: About): { all: Timeline; shown: Timeline } {
  const all = useTimeline(namespace, EVERYTHING)
  const shown = useTimeline(namespace, all.cut ? about : EVERYTHING)
  return { all, shown }
}

/** What was true on a day, and what Loom held on that day. */
export function TimelineScreen(props: ScreenProps) {
  const { namespace, onWrite, onMenu } = props
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const [about, setAbout] = useState(EVERYTHING)
  const { all, shown } = useAbout(namespace, about)
  const known = useMemo(() => lanesOf(all.rows), [all.rows])
  const lanes = useMemo(() => lanesAbout(lanesOf(shown.rows), about.entity, about.tag), [shown.rows, about])
  const entities = useMemo(() => namesIn(known, 'entities'), [known])
  const tags = useMemo(() => namesIn(known, 'tags'), [known])
  const tick = useNow()
  // What was read after the clock last ticked is known as well.
  const now = useMemo(() => new Date(Math.max(tick.getTime(), shown.readAt)), [tick, shown.readAt])
  const date = useDay(known, now.getTime())
  const info = useEngineInfo().data
  const list = useRef<RowsHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  const plot = useRef<HTMLDivElement>(null)
  const width = useWidth(plot)
  useRecovery()
  useLiveUpdates(() => true)

  const activeId = lanes.some(({ id }) => id === route.id) ? route.id : (lanes[0]?.id ?? null)
  const choose = (id: string): void => navigate({ screen: 'timeline', namespace, id }, { replace: true })
  const open = (id: string): void => navigate({ namespace, id })
  const change = (part: Partial<About>): void => setAbout((before) => ({ ...before, ...part }))
  useTimelineKeys({ ...props, lanes, activeId, date, list, search, choose, open, clear: () => setAbout(EVERYTHING) })
  useEffect(() => {
    document.title = `${say.title} · Loom`
  }, [])

  const ready = shown.complete
  const when = date.day < date.today ? 'past' : date.day === date.today ? 'today' : 'ahead'
  const summary = ready && lanes.length > 0 ? say.summary(tallyOf(lanes, date.at), when) : ''
  const claims = lanes.reduce((sum, lane) => sum + lane.claims.length, 0)
  const meta = ready ? say.meta(lanes.length, claims) : shown.read > 0 ? say.reading(shown.read) : say.opening
  return (
    <>
      {onePane && (
        <TopBar onMenu={onMenu} onWrite={onWrite}>
          <h1 className="screen-name">{say.title}</h1>
        </TopBar>
      )}
      <main className="tl" aria-label={say.title}>
        <Head
          {...{ about, entities, tags, meta, search }}
          range={date.range}
          span={spanWords(date.axis, say.span)}
          stale={shown.stale}
          named={onePane}
          onAbout={change}
          onRange={date.setRange}
          onRead={shown.retry}
          onLeave={() => (list.current ? list.current.focus() : document.querySelector<HTMLElement>('.as-of')?.focus())}
        />
        <AsOf date={date} summary={summary} width={width} plot={plot} />
        {shown.error && shown.rows.length > 0 && (
          <div className="note warn tl-note" role="alert">
            <span>{say.stopped(shown.readAt)}</span>
            <button type="button" className="btn sm" onClick={shown.retry}>
              {say.tryAgain}
            </button>
          </div>
        )}
        {ready && shown.cut && <p className="note tl-note">{say.cut(shown.rows.length)}</p>}
        {lanes.length === 0 ? (
          <NoLanes shown={shown} about={about} names={entities} onAbout={change} onWrite={onWrite} />
        ) : (
          <LaneList
            ref={list}
            {...{ lanes, activeId, now, width, ready }}
            axis={date.axis}
            day={date.day}
            at={date.at}
            stacked={onePane}
            onChoose={choose}
          />
        )}
        <Answers
          lane={lanes.find(({ id }) => id === activeId) ?? null}
          day={date.day}
          at={date.at}
          you={info ? `${info.principal.kind}:${info.principal.subject}` : ''}
          onOpen={open}
        />
        <UndoBar />
      </main>
    </>
  )
}

/** Width of an element in pixels, as it is now. */
function useWidth(element: React.RefObject<HTMLElement | null>): number {
  const [width, setWidth] = useState(0)
  useLayoutEffect(() => {
    const measured = element.current
    if (!measured) return undefined
    const observer = new ResizeObserver(() => setWidth(measured.clientWidth))
    observer.observe(measured)
    return () => observer.disconnect()
  }, [element])
  return width
}
