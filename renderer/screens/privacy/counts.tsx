import type { UseQueryResult } from '@tanstack/react-query'
import { isAway, type Preview } from '../../data/erasure.ts'
import { locale, useNow } from '../../state/locale.ts'
import { countLines } from '../../text/erasure-words.ts'
import { count, shortDate } from '../../text/when.ts'
import { ERASE as say } from './strings.ts'

interface CountsProps {
  readonly preview: UseQueryResult<Preview>
  /** Something can be counted. */
  readonly isAsked: boolean
  readonly isTeam: boolean
}

/** What will go, store by store, before anything does. */
export function Counts({ preview, isAsked, isTeam }: CountsProps) {
  const { data, error, isFetching, refetch } = preview
  return (
    <section className="what" aria-labelledby="what-will-go" aria-busy={isFetching}>
      <h2 className="label" id="what-will-go">
        {say.what}
      </h2>
      <p className={error && isAsked ? 'problem' : 's q'} role="status">
        {!isAsked ? say.countFirst : error ? say.notCounted(error.message) : data && !isFetching ? say.counted : say.counting}
        {isAsked && (data || error) && (
          <>
            {' '}
            <button type="button" className="link" onClick={() => void refetch()}>
              {say.countAgain}
            </button>
          </>
        )}
      </p>
      <dl className="counts">
        {countLines(isAsked && data && !error ? data.counts : {}).map(({ name, amount }) => (
          <div key={name} className={amount === 0 ? 'none' : undefined}>
            <dt>{name}</dt>
            <dd>{isAsked && data && !error ? count(amount, locale) : '–'}</dd>
          </div>
        ))}
      </dl>
      {isAsked && data && !error && (
        <>
          <EveryStore counts={data.counts} />
          <Consequences preview={data} isTeam={isTeam} />
        </>
      )}
    </section>
  )
}

function EveryStore({ counts }: { counts: Readonly<Record<string, number>> }) {
  return (
    <details className="held">
      <summary>{say.all}</summary>
      <table className="table">
        <thead>
          <tr>
            <th scope="col">{say.store}</th>
            <th scope="col" className="r">
              {say.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(counts).map(([key, amount]) => (
            <tr key={key}>
              <td className="mono">{key}</td>
              <td className="r">{count(amount, locale)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

/** Devices that are away by name; the rest as a number. */
const NAMED = 3

function Consequences({ preview: { devices, backups, total }, isTeam }: { preview: Preview; isTeam: boolean }) {
  const now = useNow()
  const away = devices.filter((device) => isAway(device, now))
  const lines = [
    ...(total === 0 ? [say.nothingThere] : []),
    ...(isTeam ? [say.told(devices.length)] : []),
    ...away
      .slice(0, NAMED)
      .map(({ name, last_seen_at: seen }) => (seen === null ? say.neverSeen(name) : say.unseen(name, shortDate(seen, now, locale)))),
    ...(away.length > NAMED ? [say.more(away.length - NAMED)] : []),
    ...(backups > 0 ? [say.backupsGo(backups)] : []),
  ]
  return lines.length > 0 ? <p className="note">{lines.join(' ')}</p> : null
}
