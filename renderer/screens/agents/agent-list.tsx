import type { AgentRow } from '../../data/agents.ts'
import type { AppCard } from '../../data/apps.ts'
import { locale, useNow } from '../../state/locale.ts'
import { pathOf } from '../../state/route.ts'
import { listDate } from '../../text/when.ts'
import { CARDS } from './app-strings.ts'
import { AGENTS as say } from './strings.ts'

/** Agents that were not seen for longer fold. */
const FOLD_MS = 30 * 86_400_000

/** Address of an agent: none is taken for the section of the apps. */
export const ofAgent = (agent: string): string => `agent/${agent}`

interface AgentListProps {
  readonly namespace: string
  readonly agents: readonly AgentRow[]
  readonly apps: readonly AppCard[]
  readonly current: string
  /** The app whose card was asked for. */
  readonly wanted: string
}

export function AgentList({ namespace, agents, apps, current, wanted }: AgentListProps) {
  const now = useNow()
  const isOld = (row: AgentRow): boolean => now.getTime() - new Date(row.last_at).getTime() > FOLD_MS
  const seen = agents.filter((row) => !isOld(row))
  const old = agents.filter(isOld)
  const connected = seen.filter((row) => row.connected).length
  const rows = (some: readonly AgentRow[]) =>
    some.map((row) => <AgentLine key={row.agent} {...{ row, namespace, now }} isOn={current === ofAgent(row.agent)} />)
  return (
    <div className="agent-list">
      <p className="meta" role="status">
        {say.sum(connected, seen.length - connected)}
      </p>
      <nav aria-label={say.label}>{rows(seen)}</nav>
      {old.length > 0 && (
        <details className="held">
          <summary>{say.folded(old.length)}</summary>
          {rows(old)}
        </details>
      )}
      <h2 className="h3">{say.connect}</h2>
      <nav aria-label={say.connect}>
        {apps.map((app) => (
          <a
            key={app.id}
            className={app.id === wanted ? 'conn on' : 'conn'}
            aria-current={app.id === wanted ? 'page' : undefined}
            href={`#${pathOf({ screen: 'agents', namespace, id: `apps/${app.id}` })}`}
          >
            <span>
              <b>{app.name}</b>
              <span className="s">{CARDS.inList(app, now)}</span>
            </span>
            <span className="btn sm text" aria-hidden="true">
              {CARDS.buttons[buttonOf(app)]}
            </span>
          </a>
        ))}
      </nav>
    </div>
  )
}

function buttonOf({ state, testing, test }: AppCard): keyof typeof CARDS.buttons {
  if (testing !== null) return 'stop'
  if (state === 'absent') return 'how'
  if (state === 'ready') return 'connect'
  return state === 'connected' && (!test || test.cause === '') ? 'test' : 'look'
}

function AgentLine({ row, namespace, now, isOn }: { row: AgentRow; namespace: string; now: Date; isOn: boolean }) {
  return (
    <a
      className={isOn ? 'agent-row on' : 'agent-row'}
      href={`#${pathOf({ screen: 'agents', namespace, id: ofAgent(row.agent) })}`}
      aria-current={isOn ? 'page' : undefined}
    >
      <span className="k">
        <span className={row.connected ? 'dot' : 'dot off'} aria-hidden="true" />
        <b>
          <bdi>{row.agent}</bdi>
        </b>
        <span className="sr">{row.connected ? say.isConnected : say.isAway}</span>
        <span>{say.transports[row.transport]}</span>
        <time dateTime={row.last_at}>{listDate(row.last_at, now, locale)}</time>
      </span>
      <span className="s">{say.thisWeek(row)}</span>
    </a>
  )
}
