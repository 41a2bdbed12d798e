import { useEffect } from 'react'
import { useBackups } from '../../data/backups.ts'
import { useLiveUpdates, useRecovery } from '../../data/live.ts'
import { useSync } from '../../data/sync.ts'
import { useWebhookNamespaces } from '../../data/webhooks.ts'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { useWindowKeys } from '../../state/keys.ts'
import { locale, useNow } from '../../state/locale.ts'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { focusNextPane, inReader } from '../../state/panes.ts'
import { pathOf, useRoute } from '../../state/route.ts'
import { useUndo } from '../../state/undo.tsx'
import { syncStanding } from '../../text/sync-words.ts'
import { BackBar, TopBar } from '../memories/narrow-bars.tsx'
import { listDate } from '../../text/when.ts'
import { AppearanceSection } from './appearance.tsx'
import { BackupsSection } from './backups.tsx'
import { BACKUPS, COMPUTER } from './computer-strings.ts'
import { ComputerSection } from './computer.tsx'
import { ImportSection } from './import-section.tsx'
import { TRANSFER } from './import-strings.ts'
import { SETTINGS as say } from './strings.ts'
import { TeamSection } from './team.tsx'
import { WEBHOOKS } from './webhook-strings.ts'
import { WebhooksSection } from './webhooks.tsx'

interface SettingsProps {
  readonly namespace: string
  readonly onWrite: () => void
  readonly onKeys: () => void
  readonly onMenu: () => void
}

const SECTIONS = ['team', 'webhooks', 'transfer', 'backups', 'computer', 'appearance'] as const
type Section = (typeof SECTIONS)[number]
const isSection = (id: string): id is Section => (SECTIONS as readonly string[]).includes(id)

/** What a person may set, section by section. */
export function SettingsScreen({ namespace, onWrite, onKeys, onMenu }: SettingsProps) {
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const { undo } = useUndo()
  useRecovery()
  useLiveUpdates(() => true)
  const section = isSection(route.id) ? route.id : 'team'
  // Webhooks are for admins of a team; nobody else has that line.
  const isAdmin = useWebhookNamespaces().length > 0
  const sections = SECTIONS.filter((id) => id !== 'webhooks' || isAdmin)
  const reading = onePane && route.id !== ''
  useEffect(() => {
    document.title = `${say.title} · Loom`
  }, [])

  const list = (): void => document.querySelector<HTMLElement>('.sections [aria-current]')?.focus()
  const back = (): void => {
    if (reading) navigate({ screen: 'settings', namespace })
    requestAnimationFrame(list)
  }
  const move = (by: number) => (): void | false => {
    if (inReader() || reading) return false
    const to = sections[Math.min(Math.max(sections.indexOf(section) + by, 0), sections.length - 1)]
    if (to && !onePane) navigate({ screen: 'settings', namespace, id: to }, { replace: true })
    requestAnimationFrame(list)
    return undefined
  }
  useWindowKeys({
    j: move(1),
    k: move(-1),
    ArrowDown: move(1),
    ArrowUp: move(-1),
    n: onWrite,
    u: undo,
    'mod+z': undo,
    '?': onKeys,
    F6: focusNextPane,
    Escape: back,
  })
  return (
    <>
      {onePane && !reading && (
        <TopBar onMenu={onMenu} onWrite={onWrite}>
          <h1 className="screen-name">{say.title}</h1>
        </TopBar>
      )}
      {reading && <BackBar label={say.title} onBack={back} />}
      <section className="list-pane settings" aria-label={say.title} inert={reading} data-pane tabIndex={-1}>
        {!onePane && (
          <div className="head">
            <h1>{say.title}</h1>
          </div>
        )}
        <Sections namespace={namespace} sections={sections} current={onePane ? '' : section} />
      </section>
      <main className="reader-pane">
        {(!onePane || reading) && (
          <div className="reader-scroll settings-form" role="region" aria-label={say.section} tabIndex={-1} data-pane>
            <article className="body">
              {section === 'team' && <TeamSection onReview={() => navigate({ screen: 'review', namespace })} />}
              {section === 'webhooks' && <WebhooksSection namespace={namespace} />}
              {section === 'transfer' && <ImportSection key={namespace} namespace={namespace} />}
              {section === 'backups' && <BackupsSection />}
              {section === 'computer' && <ComputerSection />}
              {section === 'appearance' && <AppearanceSection />}
            </article>
          </div>
        )}
        <UndoBar />
      </main>
    </>
  )
}

interface SectionsProps {
  readonly namespace: string
  readonly sections: readonly Section[]
  readonly current: Section | ''
}

function Sections({ namespace, sections, current }: SectionsProps) {
  const now = useNow()
  const { data: status } = useSync()
  const standing = status ? syncStanding(status, now, locale) : null
  const { data: backups } = useBackups()
  const newest = backups?.[0]
  const names: Readonly<Record<Section, { name: string; how: string }>> = {
    team: { name: say.team, how: status ? (standing?.title ?? say.teamOff) : '' },
    webhooks: { name: WEBHOOKS.title, how: '' },
    transfer: { name: TRANSFER.title, how: '' },
    backups: {
      name: BACKUPS.title,
      how: backups ? BACKUPS.short(backups.length, newest ? listDate(newest.created_at, now, locale) : '') : '',
    },
    computer: { name: COMPUTER.title, how: '' },
    appearance: { name: say.appearance, how: '' },
  }
  return (
    <nav className="sections" aria-label={say.sections}>
      {sections.map((id) => (
        <a
          key={id}
          href={`#${pathOf({ screen: 'settings', namespace, id })}`}
          className={id === current ? 'on' : undefined}
          aria-current={id === current ? 'page' : undefined}
        >
          {names[id].name}
          <span>{names[id].how}</span>
        </a>
      ))}
    </nav>
  )
}
