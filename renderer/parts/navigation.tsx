import { Activity, Bot, Check, Library, Shield, SlidersHorizontal, Table, Text, Waypoints } from 'lucide-react'
import { useConnectedCount } from '../data/agents.ts'
import { useNamespaces, type NamespaceRow } from '../data/namespaces.ts'
import { useEngineInfo, type EngineInfo } from '../data/queries.ts'
import { useInboxCount } from '../data/inbox.ts'
import { useReviewCount } from '../data/review.ts'
import { useMaySync, useTeam } from '../data/sync.ts'
import { locale } from '../state/locale.ts'
import { pathOf, type Screen } from '../state/route.ts'
import { count } from '../text/when.ts'
import { NAVIGATION as say } from './strings.ts'
import { SyncFoot } from './sync-foot.tsx'

interface NavigationProps {
  readonly screen: Screen
  readonly namespace: string
  readonly onNamespace: (namespace: string) => void
  readonly onWrite: () => void
  readonly onKeys: () => void
  /** A screen was chosen. */
  readonly onGo: () => void
}

/** The first pane: screens, namespaces, and how Loom stands. */
export function Navigation({ screen, namespace, onNamespace, onWrite, onKeys, onGo }: NavigationProps) {
  const info = useEngineInfo()
  const namespaces = useNamespaces().data ?? []
  const held = useHeld(info.data, namespaces)
  const maySeeAgents = useMaySync()
  const connected = useConnectedCount(namespace)
  const onSync = useInboxCount()
  const open = useReviewCount(namespace) + onSync
  const openWords = say.openIn(open, namespace, onSync)
  const screenLink = (to: Screen) => ({
    className: to === screen ? 'nav-link on' : 'nav-link',
    href: `#${pathOf({ screen: to, namespace })}`,
    'aria-current': to === screen ? ('page' as const) : undefined,
    onClick: onGo,
  })
  return (
    <nav className="nav" aria-label="Main" data-pane tabIndex={-1}>
      <div className="brand">
        <span className="logo" aria-hidden="true" />
        Loom
        <button type="button" className="btn sm" onClick={onWrite}>
          {say.write} <kbd aria-hidden="true">N</kbd>
        </button>
      </div>
      <a {...screenLink('memories')}>
        <Text aria-hidden="true" />
        <span>{say.memories}</span>
        <b>{held !== null && count(held, locale)}</b>
      </a>
      <a {...screenLink('review')}>
        <Check aria-hidden="true" />
        <span>{say.review}</span>
        {open > 0 && (
          <b className="warn open" title={openWords} aria-label={openWords}>
            {count(open, locale)}
          </b>
        )}
      </a>
      <a {...screenLink('timeline')}>
        <Activity aria-hidden="true" />
        <span>{say.timeline}</span>
      </a>
      <a {...screenLink('graph')}>
        <Waypoints aria-hidden="true" />
        <span>{say.graph}</span>
      </a>
      {maySeeAgents === true && (
        <a {...screenLink('agents')}>
          <Bot aria-hidden="true" />
          <span>{say.agents}</span>
          {connected > 0 && <b aria-label={say.connected(connected)}>{count(connected, locale)}</b>}
        </a>
      )}
      <a {...screenLink('knowledge')}>
        <Library aria-hidden="true" />
        <span>{say.knowledge}</span>
      </a>
      <a {...screenLink('records')}>
        <Table aria-hidden="true" />
        <span>{say.records}</span>
      </a>
      {namespaces.length > 0 && <h2 id="nav-namespaces">{say.namespaces}</h2>}
      <ul aria-labelledby="nav-namespaces">
        {namespaces.map((row) => (
          <li key={row.namespace}>
            <button
              type="button"
              className={row.namespace === namespace ? 'nav-link here' : 'nav-link'}
              aria-current={row.namespace === namespace ? 'true' : undefined}
              onClick={() => onNamespace(row.namespace)}
              title={row.description || undefined}
            >
              <span>
                <bdi>{row.namespace}</bdi>
              </span>
              <b aria-label={say.memoriesIn(row.rows)}>{count(row.rows, locale)}</b>
              {row.open_conflicts > 0 && (
                <b className="warn" title={say.conflictsIn(row.open_conflicts)} aria-label={say.conflictsIn(row.open_conflicts)}>
                  {count(row.open_conflicts, locale)}
                </b>
              )}
            </button>
          </li>
        ))}
      </ul>
      <div className="end">
        <a {...screenLink('privacy')}>
          <Shield aria-hidden="true" />
          <span>{say.privacy}</span>
        </a>
        <a {...screenLink('settings')}>
          <SlidersHorizontal aria-hidden="true" />
          <span>{say.settings}</span>
        </a>
        <button type="button" className="nav-link" onClick={onKeys}>
          <span>{say.keys}</span>
          <b>
            <kbd aria-hidden="true">?</kbd>
          </b>
        </button>
      </div>
      <SyncFoot namespace={namespace} onGo={onGo} />
      <Standing info={info.data} held={held} error={info.error} />
    </nav>
  )
}

/** Memories on this machine, the team's among them; null until it is known. */
function useHeld(info: EngineInfo | undefined, namespaces: readonly NamespaceRow[]): number | null {
  const team = useTeam()
  if (!info) return null
  return team && namespaces.length ? namespaces.reduce((sum, row) => sum + row.rows, 0) : info.counts.memories
}

function standing(
  info: EngineInfo | undefined,
  amount: number | null,
  error: Error | null,
): { dot: string; first: string; second: string } {
  if (error) return { dot: 'dot warn', first: say.noAnswer, second: say.noAnswerNext }
  if (!info) return { dot: 'dot off', first: say.opening, second: '' }
  const held = say.held(amount ?? info.counts.memories)
  switch (info.embedder.state) {
    case 'ready':
      return { dot: 'dot', first: held, second: info.embedder.queue ? say.queued(info.embedder.queue) : say.ready }
    case 'loading':
      return { dot: 'dot off', first: held, second: say.loadingModel }
    case 'reindexing':
      return { dot: 'dot off', first: held, second: say.reindexing }
    case 'unavailable':
      return { dot: 'dot warn', first: held, second: say.wordsOnly }
  }
}

function Standing({ info, held, error }: { info: EngineInfo | undefined; held: number | null; error: Error | null }) {
  const { dot, first, second } = standing(info, held, error)
  return (
    <div className="foot" role="status" title={info?.embedder.model}>
      <span className={dot} aria-hidden="true" />
      <span>{first}</span>
      <span>{second}</span>
    </div>
  )
}
