import { memo } from 'react'
import type { OpenPair } from '../../data/pair.ts'
import { locale } from '../../state/locale.ts'
import { pairSureness, writerName } from '../../text/plain-words.ts'
import { dateAndTime, listDate } from '../../text/when.ts'
import { QUEUE as say } from './strings.ts'

export const queueRowId = (id: string): string => `open-${id}`

interface QueueRowProps {
  readonly pair: OpenPair
  readonly index: number
  readonly total: number
  readonly active: boolean
  readonly refused: boolean
  readonly now: Date
  readonly you: string
  readonly onChoose: (id: string) => void
}

/** One pair in the queue: its later key, why it waits, and what it stands against. */
export const QueueRow = memo(function QueueRow({ pair, index, total, active, refused, now, you, onChoose }: QueueRowProps) {
  const { id, kind, row, peer, reason, at } = pair
  const sure = pairSureness(pair)
  return (
    // The list holds the focus and names its active row; a row is never a stop of its own.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      id={queueRowId(id)}
      role="option"
      aria-selected={active}
      aria-setsize={total}
      aria-posinset={index + 1}
      className={active ? 'row on' : 'row'}
      onClick={() => onChoose(id)}
    >
      <div className="k">
        <code dir="auto">{row.memory_key}</code>
        <span className={kind === 'conflict' ? 'badge warn' : 'badge'}>{say.badges[kind]}</span>
        {refused && <span className="badge bad">{say.refused}</span>}
        <time dateTime={at} title={dateAndTime(at, locale)}>
          {listDate(at, now, locale)}
        </time>
      </div>
      <div className="v" dir="auto">
        {reason}
      </div>
      <div className="tags">
        <bdi>
          {say.against[kind]} <bdi>{peer.memory_key}</bdi>
          {sure && kind !== 'low_confidence' && ` · ${sure.toLowerCase()}`} · <bdi>{say.by(writerName(row, you))}</bdi>
        </bdi>
      </div>
    </div>
  )
})
