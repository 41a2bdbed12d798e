import type { ReactNode } from 'react'
import type { Side } from '../../../shared/contract/pair.ts'
import { useMemoryRow } from '../../data/queries.ts'
import { FactList } from '../../parts/fact-list.tsx'
import { Differing } from '../../parts/marked.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { writerName } from '../../text/plain-words.ts'
import { claimText } from '../../text/value-text.ts'
import { dateAndTime, fullDate, listDate } from '../../text/when.ts'
import { PAIR as say } from './strings.ts'

interface PairSideProps {
  readonly side: Side
  readonly other: Side
  readonly which: 'this' | 'that'
  /** What the side is, where it is none of two to choose from. */
  readonly label?: string
  readonly you: string
  readonly onOpen: (id: string) => void
}

/** One of the two: what it says, with the words marked that the other does not have, and where it comes from. */
export function PairSide({ side, other, which, label, you, onOpen }: PairSideProps) {
  const now = useNow()
  const name = label ?? (which === 'this' ? say.this : say.that)
  // A pair does not say how often its sides were recalled.
  const read = useMemoryRow(side.memory_id).data?.row
  const hasDates = side.valid_at !== null || other.valid_at !== null
  const lines: [string, ReactNode][] = [
    [
      say.writtenBy,
      <span key="w" title={dateAndTime(side.created_at, locale)}>
        <bdi>{writerName(side, you)}</bdi>, {listDate(side.created_at, now, locale)}
      </span>,
    ],
  ]
  if (hasDates) lines.push([say.since, side.valid_at ? fullDate(side.valid_at, locale) : say.notSaid])
  lines.push([say.recalled, read ? recalledWords(read.recall_count, read.last_recalled_at, now) : '…'])
  if (side.tags.length || other.tags.length) lines.push([say.tags, <bdi key="t">{side.tags.join(', ') || '–'}</bdi>])
  return (
    <section className="side" aria-label={name}>
      <header>
        {label === undefined && <kbd aria-hidden="true">{which === 'this' ? '1' : '2'}</kbd>}
        <button type="button" className="link key" title={say.openMemory} onClick={() => onOpen(side.memory_id)}>
          <bdi>{side.memory_key}</bdi>
        </button>
        {side.pinned && <span className="badge accent">{say.pinned}</span>}
        {side.locked && <span className="badge">{say.locked}</span>}
        <span>{name}</span>
      </header>
      {side.value === null ? (
        <p className="q">{say.withheld}</p>
      ) : (
        <p dir="auto">
          <Differing text={claimText(side.value)} other={other.value === null ? '' : claimText(other.value)} />
        </p>
      )}
      <FactList lines={lines} />
    </section>
  )
}

function recalledWords(times: number, last: string | null, now: Date): string {
  if (!times) return say.never
  return last ? `${say.times(times)}, ${say.last(listDate(last, now, locale))}` : say.times(times)
}
