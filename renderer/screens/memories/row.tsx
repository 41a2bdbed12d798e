import { memo, type Ref } from 'react'
import type { Item } from '../../data/item.ts'
import { Found } from '../../parts/marked.tsx'
import { locale } from '../../state/locale.ts'
import { matchedWords } from '../../text/highlight.ts'
import { foundBecause, writerName } from '../../text/plain-words.ts'
import { dateAndTime, listDate } from '../../text/when.ts'
import { LIST as say } from './strings.ts'

function badgesOf(item: Item): { text: string; tone: string }[] {
  const badges: { text: string; tone: string }[] = []
  if (item.inConflict && item.status !== 'tombstoned') badges.push({ text: say.badges.conflict, tone: 'badge warn' })
  if (item.pinned) badges.push({ text: say.badges.pinned, tone: 'badge accent' })
  if (item.locked) badges.push({ text: say.badges.locked, tone: 'badge' })
  if (item.waiting) badges.push({ text: say.badges.waiting, tone: 'badge' })
  if (item.status === 'duplicate') badges.push({ text: say.badges.duplicate, tone: 'badge' })
  if (item.status === 'superseded') badges.push({ text: say.badges.superseded, tone: 'badge' })
  if (item.status === 'tombstoned') badges.push({ text: say.badges.deleted, tone: 'badge' })
  return badges
}

/** The last line of a row: why it was found; while browsing, its tags and who wrote it. */
function lastLine(item: Item, you: string, showNamespace: boolean): string {
  const where = showNamespace ? [item.namespace] : []
  if (item.status === 'tombstoned') return [...where, item.restorableUntil ? say.until(item.restorableUntil) : say.gone].join(' · ')
  if (item.why.length) return [...where, foundBecause(item.why, item.confirmed)].join(' · ')
  return [
    ...where,
    ...item.tags,
    ...(item.actor ? [say.by(writerName(item, you))] : []),
    ...(item.recalled ? [say.recalled(item.recalled)] : []),
  ].join(' · ')
}

interface RowProps {
  readonly item: Item
  readonly index: number
  readonly total: number
  readonly start: number
  readonly active: boolean
  readonly now: Date
  readonly you: string
  readonly showNamespace: boolean
  readonly measure: Ref<HTMLDivElement>
  readonly onChoose: (id: string) => void
}

export const rowId = (id: string): string => `row-${id}`

/** One memory in the list. */
export const MemoryRow = memo(function MemoryRow({
  item,
  index,
  total,
  start,
  active,
  now,
  you,
  showNamespace,
  measure,
  onChoose,
}: RowProps) {
  const words = matchedWords(item.why)
  return (
    // The list holds the focus and names its active row; a row is never a stop of its own.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      ref={measure}
      id={rowId(item.id)}
      data-index={index}
      role="option"
      aria-selected={active}
      aria-setsize={total}
      aria-posinset={index + 1}
      className={active ? 'row on' : 'row'}
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => onChoose(item.id)}
    >
      <div className="k">
        <code dir="auto">{item.key}</code>
        {badgesOf(item).map(({ text, tone }) => (
          <span key={text} className={tone}>
            {text}
          </span>
        ))}
        <time dateTime={item.updatedAt} title={dateAndTime(item.updatedAt, locale)}>
          {listDate(item.updatedAt, now, locale)}
        </time>
      </div>
      {item.withheld ? (
        <div className="v withheld">{say.withheld}</div>
      ) : (
        <div className="v" dir="auto">
          <Found text={item.excerpt} words={words} />
        </div>
      )}
      <div className="tags" title={item.why.join(' · ') || undefined}>
        <bdi>{lastLine(item, you, showNamespace)}</bdi>
      </div>
    </div>
  )
})
