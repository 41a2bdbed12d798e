import { useEffect } from 'react'
import { useNow } from '../../state/locale.ts'
import type { QueueFilter } from '../../data/queue.ts'
import { Failed, LoadingRows } from '../../parts/list-states.tsx'
import { QueueRow, queueRowId } from './queue-row.tsx'
import { QUEUE as say } from './strings.ts'
import type { Review } from './use-review.ts'

interface QueuePaneProps {
  readonly review: Review
  readonly you: string
  /** The heading stands in the bar above where there is one pane. */
  readonly heading: boolean
  readonly inert: boolean
  /** These kinds alone, as tabs. */
  readonly tabs: boolean
  readonly onChoose: (id: string) => void
}

/** What waits, by kind. */
export function QueuePane({ review, you, heading, inert, tabs, onChoose }: QueuePaneProps) {
  const { counts, filter, queue } = review
  return (
    <section className="list-pane queue" aria-label={say.pane} inert={inert}>
      {heading && (
        <div className="head">
          <h1>{say.title}</h1>
        </div>
      )}
      <Kinds review={review} tabs={tabs} />
      <div className="meta">
        <span role="status">{counts ? say.open(counts[filter]) : ''}</span>
      </div>
      {queue.error && queue.counts && (
        <div className="note warn strip" role="alert">
          <span>{say.stale}</span>
          <button type="button" className="btn sm" onClick={queue.retry}>
            {say.tryAgain}
          </button>
        </div>
      )}
      <Rows review={review} you={you} tabs={tabs} onChoose={onChoose} />
    </section>
  )
}

function Kinds({ review, tabs }: Pick<QueuePaneProps, 'review' | 'tabs'>) {
  const { counts, filter } = review
  const shown = tabs ? say.tabs : say.filters.filter(([kind]) => kind === 'all' || !RARE.has(kind) || counts?.[kind] || filter === kind)
  return (
    <div className="chips" role={tabs ? 'tablist' : 'group'} aria-label={say.kinds}>
      {shown.map(([kind, name]) => (
        <button
          key={kind}
          type="button"
          className={kind === filter ? 'chip on' : 'chip'}
          {...(tabs ? { role: 'tab', 'aria-selected': kind === filter } : { 'aria-pressed': kind === filter })}
          onClick={() => review.setFilter(kind)}
        >
          {name} <b>{counts?.[kind] ?? ''}</b>
        </button>
      ))}
    </div>
  )
}

/** Kinds that are shown where there are any. */
const RARE: ReadonlySet<QueueFilter> = new Set<QueueFilter>(['sync', 'proposal'])

/** Items in hand after the one shown; with fewer, the next page is read. */
const AHEAD = 10

function Rows({ review, you, tabs, onChoose }: Pick<QueuePaneProps, 'review' | 'you' | 'tabs' | 'onChoose'>) {
  const { items, item, queue, filter } = review
  const now = useNow()
  const activeId = item?.id
  useEffect(() => {
    if (activeId) document.getElementById(queueRowId(activeId))?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  const { hasMore, more } = queue
  const nearEnd = review.index >= items.length - AHEAD
  useEffect(() => {
    if (hasMore && nearEnd) more()
  }, [hasMore, nearEnd, more])
  if (queue.loading) return <LoadingRows />
  if (queue.error && !queue.counts) return <Failed title={say.failed} message={queue.error.message} onRetry={queue.retry} />
  return (
    <div
      className="rows"
      role={items.length ? 'listbox' : undefined}
      tabIndex={items.length ? 0 : -1}
      aria-label={items.length ? say.label : undefined}
      aria-activedescendant={activeId && queueRowId(activeId)}
      data-pane
      onScroll={({ currentTarget: list }) => {
        if (list.scrollHeight - list.scrollTop < 2 * list.clientHeight) more()
      }}
    >
      {items.map((one, index) => (
        <QueueRow
          key={one.id}
          of={one}
          index={index}
          total={review.counts?.[filter] ?? items.length}
          active={one.id === activeId}
          refused={review.isRefused(one.id)}
          now={now}
          you={you}
          onChoose={onChoose}
        />
      ))}
      {!items.length && filter !== 'all' && (
        <div className="empty">
          <h2>{say.noneOfKind}</h2>
          {!tabs && (
            <div className="acts">
              <button type="button" className="btn" onClick={() => review.setFilter('all')}>
                {say.showAll}
              </button>
            </div>
          )}
        </div>
      )}
    </div>
  )
}
