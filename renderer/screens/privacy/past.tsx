import { useErasures, type ErasureRow } from '../../data/erasure.ts'
import { Unread } from '../../parts/notes.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { pathOf } from '../../state/route.ts'
import { scopeName, STEP_COUNT } from '../../text/erasure-words.ts'
import { dateAndTime, listDate } from '../../text/when.ts'
import { PAST as say } from './strings.ts'

interface PastProps {
  readonly org: string
  readonly namespace: string
  readonly current: string
}

/** Erasures so far, newest first, each with how it stands. */
export function Past({ org, namespace, current }: PastProps) {
  const { data: rows, error, refetch } = useErasures(org)
  return (
    <section className="past" aria-labelledby="past">
      <h2 className="h3" id="past">
        {say.title}
      </h2>
      {error && <Unread text={`${say.failed} ${error.message}`} onRetry={() => void refetch()} />}
      {!rows && !error && <p className="q s">{say.loading}</p>}
      {rows?.length === 0 && <p className="q s">{say.none}</p>}
      {rows && rows.length > 0 && (
        <ul>
          {rows.map((row) => (
            <PastRow key={row.erasure_id} row={row} namespace={namespace} isCurrent={row.erasure_id === current} />
          ))}
        </ul>
      )}
    </section>
  )
}

function PastRow({ row, namespace, isCurrent }: { row: ErasureRow; namespace: string; isCurrent: boolean }) {
  const now = useNow()
  const pending = row.devices_pending ?? 0
  return (
    <li>
      <a
        href={`#${pathOf({ screen: 'privacy', namespace, id: row.erasure_id })}`}
        className={isCurrent ? 'on' : undefined}
        aria-current={isCurrent ? 'page' : undefined}
      >
        <span className="k">
          <b>
            <bdi>{scopeName(row, locale)}</bdi>
          </b>
          {row.status === 'failed' && <span className="badge bad">{say.stopped}</span>}
          {row.status === 'in_progress' && <span className="badge accent">{say.isRunning}</span>}
          {row.status === 'completed' && pending > 0 && <span className="badge warn">{say.pending(pending)}</span>}
          <time dateTime={row.requested_at} title={dateAndTime(row.requested_at, locale)}>
            {listDate(row.requested_at, now, locale)}
          </time>
        </span>
        <span className="s q">{standsAs(row, pending)}</span>
      </a>
    </li>
  )
}

function standsAs({ status, current_step, attempts }: ErasureRow, pending: number): string {
  if (status === 'in_progress') return say.running(Math.min(current_step + 1, STEP_COUNT), STEP_COUNT)
  if (status === 'failed') return say.failing(attempts)
  return pending > 0 ? say.waiting(pending) : say.complete
}
