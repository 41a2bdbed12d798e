import { Dialog } from '@base-ui/react/dialog'
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { lazy, Suspense, useMemo, useState } from 'react'
import { isLoomError } from '../shared/contract/errors.ts'
import { ClientProvider, useClient, type LoomClient } from './data/client.tsx'
import { readFirstItems } from './data/items.ts'
import { placeOf } from './data/places.ts'
import { isRefusal } from './data/session.ts'
import { useSettingsUpdates } from './data/settings.ts'
import { useSync, useTeam } from './data/sync.ts'
import { HOME_NAMESPACE, useNamespaces } from './data/namespaces.ts'
import type { ReadRow } from './data/queries.ts'
import { KeysDialog } from './parts/keys-dialog.tsx'
import { Navigation } from './parts/navigation.tsx'
import { useShellRoute, useShellStanding } from './parts/use-shell-link.ts'
import { AgentsScreen } from './screens/agents/screen.tsx'
import { FirstRunPage } from './screens/first-run/first-run.tsx'
import { useFirstRun } from './screens/first-run/use-first-run.ts'
import { KnowledgeScreen } from './screens/knowledge/screen.tsx'
import { MemoriesScreen } from './screens/memories/screen.tsx'
import { PrivacyScreen } from './screens/privacy/screen.tsx'
import { quickOf } from './screens/quick/place.ts'
import { QuickPage } from './screens/quick/page.tsx'
import { RecordsScreen } from './screens/records/screen.tsx'
import { ReviewScreen } from './screens/review/screen.tsx'
import { SettingsScreen } from './screens/settings/screen.tsx'
import { TimelineScreen } from './screens/timeline/screen.tsx'
import type { Start } from './screens/write/use-write.ts'
import { WriteForm } from './screens/write/write-form.tsx'
import { useWindowKeys } from './state/keys.ts'
import { ONE_PANE, useMedia } from './state/media.ts'
import { preferencesNow, setPreference, usePreferences } from './state/preferences.ts'
import { isAdminQueue, routeNow, useRoute, type Screen } from './state/route.ts'
import { UndoProvider } from './state/undo.tsx'

/** What draws it is as large as all the rest of the window: it is read when it is first shown. */
const GraphScreen = lazy(async () => ({ default: (await import('./screens/graph/screen.tsx')).GraphScreen }))

/** Screens with a search of their own. */
const OWN_SEARCH: ReadonlySet<Screen> = new Set<Screen>(['graph', 'knowledge', 'memories', 'timeline'])

/** The engine is the store: answers are kept by operation and input, and read again when the engine says so. */
function makeCache(onRefused: () => void): QueryClient {
  const cache = new QueryClient({
    queryCache: new QueryCache({
      // Whoever finds that nothing answers, the foot of the navigation says so.
      onError: (error, query) => {
        if (isRefusal(error)) onRefused()
        if (isLoomError(error) && error.code === 'UNAVAILABLE' && query.queryKey[0] !== 'engine.info')
          void cache.invalidateQueries({ queryKey: ['engine.info'] })
      },
    }),
    defaultOptions: {
      // The client tries again by itself; a second layer would only make a failure slow to show.
      queries: { retry: false, refetchOnWindowFocus: false, staleTime: 0, networkMode: 'always' },
      mutations: { networkMode: 'always' },
    },
  })
  return cache
}

/** @param onRefused the token that the client holds is valid no more. */
export function App({ client, onRefused }: { client: LoomClient; onRefused: () => void }) {
  const [cache] = useState(() => {
    const made = makeCache(onRefused)
    if (routeNow().screen === 'memories' && !quickOf(location.pathname)) readFirstItems(made, client, startingNamespace())
    return made
  })
  return (
    <QueryClientProvider client={cache}>
      <ClientProvider client={client}>
        <UndoProvider>
          <InOrg />
        </UndoProvider>
      </ClientProvider>
    </QueryClientProvider>
  )
}

/** Connected to a team, the window says with each call whose memory it is about: the install's, or the team's. */
function InOrg() {
  const client = useClient()
  useSettingsUpdates()
  useShellStanding()
  const team = useTeam()
  const namespace = useNamespace()
  const { org } = placeOf(namespace)
  const within = useMemo(() => {
    const home = team?.home ?? ''
    return team || org ? client.within({ home, scope: org || home }) : client
  }, [client, team, org])
  return (
    <ClientProvider client={within}>{quickOf(window.location.pathname) ? <QuickPage namespace={namespace} /> : <Window />}</ClientProvider>
  )
}

/** Where to look before it is known what there is: another list would jump away under the person's eyes. */
function startingNamespace(): string {
  const named = routeNow().namespace || preferencesNow().namespace
  // What a team has cannot be asked for before it is known which.
  return placeOf(named).org === '' && named !== '' ? named : HOME_NAMESPACE
}

/** Where to look first: the address, else where the person was last, else what there is. */
function useNamespace(): string {
  const [route] = useRoute()
  const { namespace: last } = usePreferences()
  const known = useNamespaces().data?.map((row) => row.namespace)
  const { data: sync } = useSync()
  // Of a team that was left there is nothing to show.
  const isGone = placeOf(route.namespace).org !== '' && sync?.state === 'off'
  if (route.namespace && !isGone) return route.namespace
  if (!known) return startingNamespace()
  if (known.includes(last)) return last
  return known.includes(HOME_NAMESPACE) ? HOME_NAMESPACE : (known[0] ?? HOME_NAMESPACE)
}

function Window() {
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const namespace = useNamespace()
  const namespaces = useNamespaces().data ?? []
  const [writing, setWriting] = useState<Start | null>(null)
  const [keys, setKeys] = useState(false)
  const [menu, setMenu] = useState(false)
  useShellRoute()
  const firstRun = useFirstRun(route, namespace)

  const goTo = (to: string): void => {
    setMenu(false)
    setPreference('namespace', to)
    navigate({ screen: route.screen, namespace: to })
  }
  const openIn = (to: string, id: string): void => {
    setPreference('namespace', to || namespace)
    navigate({ namespace: to || namespace, id })
  }
  const write = (text = ''): void => {
    setMenu(false)
    setWriting({ kind: 'new', namespace, text })
  }
  const showKeys = (): void => {
    setMenu(false)
    setKeys(true)
  }
  const show = (screen: Screen): void => {
    setMenu(false)
    if (screen !== route.screen) navigate({ screen, namespace })
  }
  useWindowKeys({
    'mod+1': () => show('memories'),
    'mod+2': () => show('review'),
    'mod+3': () => show('timeline'),
    'mod+4': () => show('graph'),
    'mod+5': () => show('agents'),
    'mod+6': () => show('privacy'),
    'mod+7': () => show('settings'),
    'mod+8': () => show('knowledge'),
    'mod+9': () => show('records'),
    // The other screens have no search of their own.
    '/': () => {
      if (OWN_SEARCH.has(route.screen)) return false
      show('memories')
      requestAnimationFrame(() => document.querySelector<HTMLInputElement>('.search input')?.focus())
      return undefined
    },
  })
  if (firstRun.state === 'unknown') return null
  if (firstRun.state === 'shown') {
    const leave = (to: 'list' | 'import'): void => {
      firstRun.end()
      if (to === 'import') navigate({ screen: 'settings', namespace, id: 'transfer' })
    }
    return <FirstRunPage onEnd={leave} onWrite={() => write()} />
  }
  const navigation = (
    <Navigation
      screen={route.screen}
      namespace={namespace}
      onNamespace={goTo}
      onWrite={() => write()}
      onKeys={showKeys}
      onGo={() => setMenu(false)}
    />
  )
  return (
    <>
      <div className={onePane && route.id ? 'app reading' : 'app'}>
        {!onePane && navigation}
        <Shown
          screen={route.screen}
          namespace={namespace}
          onNamespace={goTo}
          onWrite={write}
          onEdit={(row) => setWriting({ kind: 'edit', row })}
          onKeys={showKeys}
          onMenu={() => setMenu(true)}
        />
      </div>
      {onePane && (
        <Dialog.Root open={menu} onOpenChange={setMenu}>
          <Dialog.Portal>
            <Dialog.Backdrop className="scrim" />
            <Dialog.Popup className="drawer" aria-label="Menu">
              {navigation}
            </Dialog.Popup>
          </Dialog.Portal>
        </Dialog.Root>
      )}
      {writing && <WriteForm start={writing} namespaces={namespaces} onClose={() => setWriting(null)} onOpen={openIn} />}
      <KeysDialog
        open={keys}
        onClose={() => setKeys(false)}
        onSettings={() => {
          setKeys(false)
          navigate({ screen: 'settings', namespace, id: 'appearance' })
        }}
      />
    </>
  )
}

interface ShownProps {
  readonly screen: Screen
  readonly namespace: string
  readonly onNamespace: (namespace: string) => void
  readonly onWrite: (text?: string) => void
  readonly onEdit: (row: ReadRow) => void
  readonly onKeys: () => void
  readonly onMenu: () => void
}

function Shown({ screen, namespace, onNamespace, onWrite, onEdit, onKeys, onMenu }: ShownProps) {
  const props = { namespace, onWrite: () => onWrite(), onKeys, onMenu }
  switch (screen) {
    case 'review':
      return <ReviewScreen key={namespace} {...props} onNamespace={onNamespace} tabs={isAdminQueue(window.location.pathname)} />
    case 'agents':
      return <AgentsScreen {...props} />
    case 'knowledge':
      return <KnowledgeScreen key={namespace} {...props} />
    case 'records':
      return <RecordsScreen key={namespace} {...props} />
    case 'privacy':
      return <PrivacyScreen key={namespace} {...props} />
    case 'settings':
      return <SettingsScreen {...props} />
    case 'graph':
      return (
        <Suspense>
          <GraphScreen key={namespace} {...props} />
        </Suspense>
      )
    case 'timeline':
      return <TimelineScreen key={namespace} {...props} />
    case 'memories':
      return <MemoriesScreen key={namespace} {...props} {...{ onNamespace, onWrite, onEdit }} />
  }
}
