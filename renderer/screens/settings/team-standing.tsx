import type { ReactNode } from 'react'
import { useEngineInfo } from '../../data/queries.ts'
import type { SyncStatus } from '../../data/sync.ts'
import { FactList } from '../../parts/fact-list.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { pathOf } from '../../state/route.ts'
import { agoWords, serverName, syncStanding } from '../../text/sync-words.ts'
import { count, dateAndTime } from '../../text/when.ts'
import { TEAM as say } from './strings.ts'

interface TeamStandingProps {
  readonly status: SyncStatus
  readonly onReview: () => void
}

/** How it stands, in words; below, what is known of it. */
export function TeamStanding({ status, onReview }: TeamStandingProps) {
  const now = useNow()
  const standing = syncStanding(status, now, locale)
  return (
    <>
      {standing && (
        <section className="card standing" aria-label={say.standing}>
          <h2>
            <span className={standing.tone === 'ok' ? 'dot' : `dot ${standing.tone}`} aria-hidden="true" />
            {standing.title}
          </h2>
          <p>{standing.sentence}</p>
          {status.inbox > 0 && (
            <p className="acts">
              <button type="button" className="btn sm" onClick={onReview}>
                {say.lookAt(status.inbox)}
              </button>
            </p>
          )}
        </section>
      )}
      <Facts status={status} now={now} />
      <Held status={status} />
    </>
  )
}

function Facts({ status, now }: { status: SyncStatus; now: Date }) {
  const here = useEngineInfo().data?.judge_version
  const { judge_version_server: server, oldest_queued_at: oldest } = status
  const at = (iso: string | null): ReactNode =>
    iso === null ? (
      say.never
    ) : (
      <time dateTime={iso} title={dateAndTime(iso, locale)}>
        {agoWords(iso, now, locale)}
      </time>
    )
  const lines: [string, ReactNode][] = [
    [
      say.server,
      <bdi key="s" title={status.server_url}>
        {serverName(status.server_url)}
      </bdi>,
    ],
    [say.you, <bdi key="y">{say.youIn(status.subject, status.org)}</bdi>],
    [say.rights, <Rights key="r" status={status} />],
    [say.received, at(status.last_pull_at)],
    [say.sent, at(status.last_push_at)],
    [say.waiting, status.queued === 0 || oldest === null ? say.nothing : say.since(status.queued, agoWords(oldest, now, locale))],
  ]
  if (status.quarantined > 0) lines.push([say.quarantined, say.quarantinedWhat(status.quarantined)])
  lines.push([
    say.erasures,
    status.erasures_failed.length ? say.erasuresFailed(status.erasures_failed.length) : say.erasuresDone(status.erasure_seq),
  ])
  if (here !== undefined && server !== '' && server !== here) lines.push([say.judge, say.judgeDiffers(server, here)])
  if (status.error !== null && status.state !== 'error') lines.push([say.error, <bdi key="e">{status.error.message}</bdi>])
  lines.push([say.device, <code key="d">{status.device_id}</code>])
  return <FactList lines={lines} className="facts" />
}

/** What the device may do, namespace by namespace, with the way to each. */
function Rights({ status: { grants, org } }: { status: SyncStatus }) {
  return (
    <span className="list">
      {Object.entries(grants).map(([namespace, role]) => (
        <span key={namespace}>
          {say.roles[role]}:{' '}
          {namespace === '*' ? (
            say.everywhere
          ) : (
            <a className="link" href={`#${pathOf({ namespace: `${org}/${namespace}` })}`}>
              <bdi>{`${org}/${namespace}`}</bdi>
            </a>
          )}
        </span>
      ))}
    </span>
  )
}

function Held({ status: { shapes } }: { status: SyncStatus }) {
  if (!shapes.length) return null
  return (
    <details className="held">
      <summary>{say.held}</summary>
      <table className="table">
        <thead>
          <tr>
            <th>{say.table}</th>
            <th className="r">{say.count}</th>
            <th>{say.state}</th>
          </tr>
        </thead>
        <tbody>
          {shapes.map((shape) => (
            <tr key={shape.table}>
              <td>{say.tables[shape.table] ?? shape.table}</td>
              <td className="r">{count(shape.rows, locale)}</td>
              <td>{shape.refetching ? say.refetching : shape.up_to_date ? say.upToDate : say.underWay}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}
