import { useState } from 'react'
import type { Json } from '../../../shared/contract/common.ts'
import type { Side } from '../../../shared/contract/pair.ts'
import { useConflicts } from '../../data/conflicts.ts'
import type { Choice, OpenPair } from '../../data/pair.ts'
import type { ReadRow } from '../../data/queries.ts'
import { Differing } from '../../parts/marked.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { pairSureness, writerName } from '../../text/plain-words.ts'
import { claimText } from '../../text/value-text.ts'
import { listDate } from '../../text/when.ts'
import { forgetMerge, MergeEditor } from '../settling/merge-editor.tsx'
import { useSettle } from '../settling/use-settle.ts'
import { CONFLICT as say, LIST } from './strings.ts'

interface ConflictCardProps {
  readonly row: ReadRow
  readonly inConflict: boolean
  /** Nothing has said yet whether it stands against another: that is asked, and nothing shown until it is known. */
  readonly unknown: boolean
  readonly you: string
  readonly onOpen: (id: string) => void
}

/** The claims that cannot both hold, side by side, and what a person may do about it. */
export function ConflictCard({ row, inConflict, unknown, you, onOpen }: ConflictCardProps) {
  const found = useConflicts(row, inConflict || unknown)
  const pairs = found.data ?? []
  if (!pairs.length) {
    if (!inConflict) return null
    if (found.isPending) {
      return (
        <section className="card" aria-busy="true">
          <header className="warn">
            {say.looking}
            <small>{say.lookingNext}</small>
          </header>
        </section>
      )
    }
    if (!found.error) return <p className="note">{say.settled}</p>
    return (
      <p className="note warn" role="alert">
        <span>
          {say.failed} {found.error.message}
        </span>
        <button type="button" className="btn sm" onClick={() => void found.refetch()}>
          {LIST.tryAgain}
        </button>
      </p>
    )
  }
  return (
    <section className="card" aria-label={say.title(pairs.length)}>
      <header className="warn">
        {say.title(pairs.length)}
        {pairs.length === 1 && pairs[0] && <HowSure pair={pairs[0]} />}
      </header>
      {pairs.map((pair) => (
        <Pair key={pair.id} pair={pair} own={row.memory_id} many={pairs.length > 1} you={you} onOpen={onOpen} />
      ))}
    </section>
  )
}

function HowSure({ pair }: { pair: OpenPair }) {
  const sure = pairSureness(pair)
  return sure && <small title={String(pair.confidence ?? '')}>{sure.toLowerCase()}</small>
}

interface PairProps {
  readonly pair: OpenPair
  /** The memory that the reader shows. */
  readonly own: string
  readonly many: boolean
  readonly you: string
  readonly onOpen: (id: string) => void
}

function Pair({ pair, own, many, you, onOpen }: PairProps) {
  const settle = useSettle()
  const [merging, setMerging] = useState(false)
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState('')
  const isRow = pair.row.memory_id === own
  const [mine, theirs] = isRow ? [pair.row, pair.peer] : [pair.peer, pair.row]

  const choose = async (choice: Choice, value?: Json): Promise<void> => {
    if (busy) return
    setBusy(true)
    setRefused('')
    const outcome = await settle(pair, choice, value === undefined ? {} : { value })
    setBusy(false)
    if (!outcome.done) {
      setRefused(outcome.why)
      return
    }
    forgetMerge(pair.id)
    // What stays is what the person wants to see; the buttons that had the focus are gone.
    const kept = outcome.answer.kept.find((one) => one.memory_id === own) ?? outcome.answer.kept[0]
    if (kept) onOpen(kept.memory_id)
  }
  return (
    <>
      <div className="cmp">
        <SideText side={mine} other={theirs} here you={you} onOpen={onOpen} />
        <SideText side={theirs} other={mine} here={false} you={you} onOpen={onOpen} />
      </div>
      <div className="why pair-foot">
        <span>{pair.reason}</span>
        {many && <HowSure pair={pair} />}
      </div>
      {refused && (
        <p className="note bad refused" role="alert">
          <span>{refused}</span>
        </p>
      )}
      {merging ? (
        <div className="why">
          <MergeEditor
            pair={pair}
            busy={busy}
            onSave={(value) => void choose('merge', value)}
            onCancel={() => {
              setMerging(false)
              document.querySelector<HTMLElement>('.reader-scroll')?.focus({ preventScroll: true })
            }}
          />
        </div>
      ) : (
        <>
          {!many && <div className="why">{say.consequence}</div>}
          <footer>
            <button
              type="button"
              className={many ? 'btn' : 'btn pri'}
              aria-disabled={busy}
              onClick={() => void choose(isRow ? 'keep_row' : 'keep_peer')}
            >
              {say.keepThis}
            </button>
            <button type="button" className="btn" aria-disabled={busy} onClick={() => void choose(isRow ? 'keep_peer' : 'keep_row')}>
              {say.keepOther}
            </button>
            <button type="button" className="btn" aria-disabled={busy} onClick={() => void choose('keep_both')}>
              {say.keepBoth}
            </button>
            <button type="button" className="btn" aria-disabled={busy} onClick={() => setMerging(true)}>
              {say.merge}
            </button>
          </footer>
        </>
      )}
    </>
  )
}

interface SideTextProps {
  readonly side: Side
  readonly other: Side
  readonly here: boolean
  readonly you: string
  readonly onOpen: (id: string) => void
}

function SideText({ side, other, here, you, onOpen }: SideTextProps) {
  const now = useNow()
  return (
    <div dir="auto">
      <small dir="ltr">
        {here ? (
          say.here
        ) : (
          <button type="button" className="link" onClick={() => onOpen(side.memory_id)}>
            <bdi>{side.memory_key}</bdi>
          </button>
        )}
        , <bdi>{writerName(side, you)}</bdi>, {listDate(side.created_at, now, locale)}
      </small>
      {side.value === null ? (
        <span className="q">{LIST.withheld}</span>
      ) : (
        <Differing text={claimText(side.value)} other={other.value === null ? '' : claimText(other.value)} />
      )}
    </div>
  )
}
