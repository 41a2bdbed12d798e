import type { ReactNode } from 'react'
import { PAIR as say } from './strings.ts'
import type { Review } from './use-review.ts'

interface ItemBarProps {
  readonly review: Review
  /** Where one pane fills the window, the bar above has the place and the way on. */
  readonly bar: boolean
  readonly onMove: (by: number) => void
  readonly children: ReactNode
}

/** What is settled here, its place in the queue, and the way to its neighbours. */
export function ItemBar({ review, bar, onMove, children }: ItemBarProps) {
  const { index, items } = review
  const total = review.counts?.[review.filter] ?? items.length
  return (
    <div className="review-top">
      <p className="crumb">
        <bdi>
          {children}
          {bar && ` · ${say.place(index + 1, total)}`}
        </bdi>
      </p>
      {bar && (
        <span className="acts">
          <button type="button" className="btn sm" aria-disabled={index <= 0} onClick={() => onMove(-1)}>
            {say.previous} <kbd aria-hidden="true">K</kbd>
          </button>
          <button type="button" className="btn sm" aria-disabled={index >= items.length - 1} onClick={() => onMove(1)}>
            {say.next} <kbd aria-hidden="true">J</kbd>
          </button>
        </span>
      )}
    </div>
  )
}
