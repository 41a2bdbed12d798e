import { useBackups } from '../../data/backups.ts'
import { useSync } from '../../data/sync.ts'
import { useWebhookNamespaces } from '../../data/webhooks.ts'
import { SectionPane, SectionsScreen, useSections, type ScreenProps } from '../../parts/sections-screen.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { pathOf, useRoute } from '../../state/route.ts'
import { hasShell } from '../../state/shell.ts'
import { syncStanding } from '../../text/sync-words.ts'
import { listDate } from '../../text/when.ts'
import { AppearanceSection } from './appearance.tsx'
import { BackupsSection } from './backups.tsx'
import { BACKUPS, COMPUTER } from './computer-strings.ts'
import { ComputerSection } from './computer.tsx'
import { DESKTOP } from './desktop-strings.ts'
import { DesktopSection } from './desktop.tsx'
import { ImportSection } from './import-section.tsx'
import { TRANSFER } from './import-strings.ts'
import { SETTINGS as say } from './strings.ts'
import { TeamSection } from './team.tsx'
import { WEBHOOKS } from './webhook-strings.ts'
import { WebhooksSection } from './webhooks.tsx'

const SECTIONS = ['team', 'webhooks', 'transfer', 'backups', 'computer', 'desktop', 'appearance'] as const
type Section = (typeof SECTIONS)[number]
const isSection = (id: string): id is Section => (SECTIONS as readonly string[]).includes(id)

/** What a person may set, section by section. */
export function SettingsScreen(props: ScreenProps) {
  const { namespace } = props
  const [route, navigate] = useRoute()
  const section = isSection(route.id) ? route.id : 'team'
  // Webhooks are for admins of a team; nobody else has that line.
  const isAdmin = useWebhookNamespaces().length > 0
  const sections = SECTIONS.filter((id) => (id !== 'webhooks' || isAdmin) && (id !== 'desktop' || hasShell()))
  const of = useSections({ ...props, screen: 'settings', title: say.title, sections, current: section })
  return (
    <SectionsScreen of={of} list={<Sections namespace={namespace} sections={sections} current={of.marked} />}>
      <SectionPane label={say.section}>
        {section === 'team' && <TeamSection onReview={() => navigate({ screen: 'review', namespace })} />}
        {section === 'webhooks' && <WebhooksSection namespace={namespace} />}
        {section === 'transfer' && <ImportSection key={namespace} namespace={namespace} />}
        {section === 'backups' && <BackupsSection />}
        {section === 'computer' && <ComputerSection />}
        {section === 'desktop' && hasShell() && <DesktopSection />}
        {section === 'appearance' && <AppearanceSection />}
      </SectionPane>
    </SectionsScreen>
  )
}

interface SectionsProps {
  readonly namespace: string
  readonly sections: readonly Section[]
  readonly current: string
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
    desktop: { name: DESKTOP.title, how: '' },
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
