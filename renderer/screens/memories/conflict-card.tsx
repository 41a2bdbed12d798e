import { useConflicts, type Against } from '../../data/conflicts.ts'
import type { ReadRow } from '../../data/queries.ts'
import { Differing } from '../../parts/marked.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { sureness, writerName } from '../../text/plain-words.ts'
import { claimText } from '../../text/value-text.ts'
import { listDate } from '../../text/when.ts'
import { targetOf, type Target } from './actions.ts'
import { CONFLICT as say } from './strings.ts'

interface ConflictCardProps {
  readonly row: ReadRow
  readonly inConflict: boolean
  readonly you: string
  readonly onRetire: (target: Target) => void
  readonly onEdit: () => void
  readonly onOpen: (id: string) => void
}

/** The claims that cannot both hold, side by side. */
export function ConflictCard({ row, inConflict, you, onRetire, onEdit, onOpen }: ConflictCardProps) {
  const found = useConflicts(row, inConflict)
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
  const against = found.data ?? []
  if (!against.length) return <p className="note">{say.settled}</p>
  return (
    <section className="card" aria-label={say.title(against.length)}>
      <header className="warn">
        {say.title(against.length)}
        <HowSure confidence={against[0]?.confidence ?? null} />
      </header>
      {against.map((other) => (
        <Pair key={other.row.memory_id} row={row} other={other} many={against.length > 1} you={you} onOpen={onOpen} onRetire={onRetire} />
      ))}
      <div className="why">{say.consequence}</div>
      <footer>
        {against.length === 1 && (
          <>
            <button type="button" className="btn pri" onClick={() => against[0] && onRetire(targetOf(against[0].row))}>
              {say.keepThis}
            </button>
            <button type="button" className="btn" onClick={() => onRetire(targetOf(row))}>
              {say.keepOther}
            </button>
          </>
        )}
        {against.length > 1 && (
          <button type="button" className="btn" onClick={() => onRetire(targetOf(row))}>
            {say.retireThis}
          </button>
        )}
        <button type="button" className="btn" onClick={onEdit}>
          {say.editThis}
        </button>
      </footer>
    </section>
  )
}

function HowSure({ confidence }: { confidence: number | null }) {
  return confidence === null ? null : <small title={String(confidence)}>{sureness(confidence).toLowerCase()}</small>
}

interface PairProps extends Pick<ConflictCardProps, 'row' | 'you' | 'onOpen' | 'onRetire'> {
  readonly other: Against
  /** One of several: the choice then stands with the pair. */
  readonly many: boolean
}

function Pair({ row, other, many, you, onOpen, onRetire }: PairProps) {
  const now = useNow()
  const mine = claimText(row.value)
  const theirs = claimText(other.row.value)
  return (
    <>
      <div className="cmp">
        <div dir="auto">
          <small dir="ltr">
            {say.here}, <bdi>{writerName(row, you)}</bdi>, {listDate(row.updated_at, now, locale)}
          </small>
          <Differing text={mine} other={theirs} />
        </div>
        <div dir="auto">
          <small dir="ltr">
            <button type="button" className="link" onClick={() => onOpen(other.row.memory_id)}>
              <bdi>{other.row.memory_key}</bdi>
            </button>
            , <bdi>{writerName(other.row, you)}</bdi>, {listDate(other.row.updated_at, now, locale)}
          </small>
          <Differing text={theirs} other={mine} />
        </div>
      </div>
      <div className="why pair-foot">
        <span>{other.reason}</span>
        {many && (
          <button type="button" className="btn sm" onClick={() => onRetire(targetOf(other.row))}>
            {say.retireOther}
          </button>
        )}
      </div>
    </>
  )
}
