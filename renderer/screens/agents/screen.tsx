import { useAgents } from '../../data/agents.ts'
import { useApps } from '../../data/apps.ts'
import { useMaySync } from '../../data/sync.ts'
import { Unread } from '../../parts/notes.tsx'
import { SectionPane, SectionsScreen, useSections, type ScreenProps } from '../../parts/sections-screen.tsx'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { useRoute } from '../../state/route.ts'
import { AgentList, ofAgent } from './agent-list.tsx'
import { AgentReader } from './agent-reader.tsx'
import { AppCards } from './app-cards.tsx'
import { CARDS } from './app-strings.ts'
import { AGENTS as say } from './strings.ts'

/** The section with a card for each app; with `/` behind it the id of the app that was asked for. */
export const APPS_SECTION = 'apps'

/** Who reads and writes, and how an app is connected. */
export function AgentsScreen(props: ScreenProps) {
  const { namespace } = props
  const onePane = useMedia(ONE_PANE)
  const [route] = useRoute()
  const may = useMaySync()
  const agents = useAgents(namespace)
  const apps = useApps()
  const rows = agents.data ?? []
  const [section = '', wanted = ''] = route.id.split('/')
  const isApps = section === APPS_SECTION || (!onePane && rows.length === 0)
  const chosen = isApps ? undefined : (rows.find((row) => ofAgent(row.agent) === route.id) ?? (onePane ? undefined : rows[0]))
  const current = isApps ? APPS_SECTION : chosen ? ofAgent(chosen.agent) : ''
  const of = useSections({
    ...props,
    screen: 'agents',
    title: say.title,
    named: chosen?.agent ?? (isApps ? CARDS.title : say.title),
    sections: [...rows.map((row) => ofAgent(row.agent)), APPS_SECTION],
    current,
  })
  const list = (
    <>
      {may === false && <p className="q s list-note">{say.elsewhere}</p>}
      {may !== false && agents.isPending && <p className="q s list-note">{say.opening}</p>}
      {agents.error && !agents.data && <Unread text={say.failed} onRetry={() => void agents.refetch()} />}
      <AgentList namespace={namespace} agents={rows} apps={apps.data?.apps ?? []} current={of.marked} wanted={isApps ? wanted : ''} />
    </>
  )
  return (
    <SectionsScreen of={of} className="agents" list={list}>
      {isApps && !agents.isPending && (
        <SectionPane label={CARDS.title} className="wide">
          <AppCards wanted={wanted} />
        </SectionPane>
      )}
      {chosen && (
        <SectionPane label={say.agent} className="wide">
          <AgentReader key={chosen.agent} namespace={namespace} agent={chosen} />
        </SectionPane>
      )}
    </SectionsScreen>
  )
}
