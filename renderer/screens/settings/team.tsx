import { useSettings } from '../../data/settings.ts'
import { isConnected, useMaySync, useSync } from '../../data/sync.ts'
import { Unread } from '../../parts/notes.tsx'
import { ConnectForm } from './connect-form.tsx'
import { Disconnect } from './disconnect.tsx'
import { SwitchSetting } from './setting-line.tsx'
import { CONNECT, TEAM as say } from './strings.ts'
import { TeamStanding } from './team-standing.tsx'

/** The team: connect to one, see how it stands, leave it. */
export function TeamSection({ onReview }: { onReview: () => void }) {
  const may = useMaySync()
  const { data: status, error, refetch } = useSync()
  const { data: settings } = useSettings()
  if (may === false) return <NotHere />
  if (!status) {
    return (
      <>
        <h1 className="title">{CONNECT.title}</h1>
        {error ? <Unread text={`${say.failed} ${error.message}`} onRetry={() => void refetch()} /> : <p className="q">{say.loading}</p>}
      </>
    )
  }
  if (!isConnected(status)) {
    return (
      <>
        <h1 className="title">{CONNECT.title}</h1>
        <p className="lead">{CONNECT.lead}</p>
        <ConnectForm />
      </>
    )
  }
  return (
    <>
      <h1 className="title">{say.title}</h1>
      <TeamStanding status={status} onReview={onReview} />
      {settings && (
        <section className="part" aria-label={say.pause}>
          <SwitchSetting setting={settings['sync.enabled']} label={say.pause} hint={say.pauseHint} />
        </section>
      )}
      <Disconnect status={status} />
    </>
  )
}

function NotHere() {
  return (
    <>
      <h1 className="title">{say.notHere}</h1>
      <p className="lead">{say.notHereNext}</p>
    </>
  )
}
