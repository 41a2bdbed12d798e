import { useSync } from '../data/sync.ts'
import { locale, useNow } from '../state/locale.ts'
import { pathOf } from '../state/route.ts'
import { syncStanding } from '../text/sync-words.ts'
import { NAVIGATION as say } from './strings.ts'

/** How the team stands, at the foot of the window. Nothing where there is none. */
export function SyncFoot({ namespace, onGo }: { namespace: string; onGo: () => void }) {
  const { data: status } = useSync()
  const now = useNow()
  const standing = status ? syncStanding(status, now, locale) : null
  if (!standing) return null
  return (
    <>
      {/* The minutes go on in silence; what is announced is the state. */}
      <span className="sr" role="status">
        {say.sync}: {standing.title}
      </span>
      <a
        className="foot sync-foot"
        href={`#${pathOf({ screen: 'settings', namespace, id: 'team' })}`}
        title={standing.sentence}
        onClick={onGo}
      >
        <span className={standing.tone === 'ok' ? 'dot' : `dot ${standing.tone}`} aria-hidden="true" />
        <span>{standing.foot[0]}</span>
        <span>{standing.foot[1]}</span>
      </a>
    </>
  )
}
