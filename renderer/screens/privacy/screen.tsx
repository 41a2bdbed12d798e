import { useState } from 'react'
import { isLoomError } from '../../../shared/contract/errors.ts'
import { useBackups } from '../../data/backups.ts'
import { useErasures, useOrgs, type Org } from '../../data/erasure.ts'
import { placeOf } from '../../data/places.ts'
import { useEngineInfo } from '../../data/queries.ts'
import { useSync } from '../../data/sync.ts'
import { Choice } from '../../parts/choice.tsx'
import { Unread } from '../../parts/notes.tsx'
import { SectionPane, SectionsScreen, useSections, type ScreenProps } from '../../parts/sections-screen.tsx'
import { locale, useNow } from '../../state/locale.ts'
import { pathOf, useRoute } from '../../state/route.ts'
import { syncStanding } from '../../text/sync-words.ts'
import { listDate } from '../../text/when.ts'
import { BACKUPS } from '../settings/computer-strings.ts'
import { EraseSection } from './erase-section.tsx'
import { ErasureSection } from './erasure-section.tsx'
import { ExportSection } from './export-section.tsx'
import { Past } from './past.tsx'
import { firstForm, rightsIn } from './scope.ts'
import { PRIVACY as say } from './strings.ts'

const SECTIONS = ['erase', 'export'] as const

/** Erase and be able to prove it; hand out what is known about somebody. */
export function PrivacyScreen(props: ScreenProps) {
  const { namespace } = props
  const [route, navigate] = useRoute()
  const orgs = useOrgs()
  const [chosen, setChosen] = useState(placeOf(namespace).org)
  const org = orgs?.find((one) => one.org === chosen) ?? orgs?.[0]
  const { data: past } = useErasures(org?.org ?? '')
  const section = route.id === '' ? 'erase' : route.id
  const open = (id: string): void => navigate({ screen: 'privacy', namespace, id })
  const sections = [...SECTIONS, ...(past ?? []).map((row) => row.erasure_id)]
  const of = useSections({ ...props, screen: 'privacy', title: say.title, sections, current: section })
  const list = (
    <>
      <Sections namespace={namespace} current={of.marked} />
      {org && <Past org={org.org} namespace={namespace} current={of.marked} />}
    </>
  )
  return (
    <SectionsScreen of={of} className="privacy" list={list}>
      <SectionPane label={say.section} className="privacy-form" aside={<SyncInWords />}>
        {org && orgs ? <Shown key={org.org} {...{ org, orgs, section, namespace, open, onOrg: setChosen }} /> : <Opening />}
      </SectionPane>
    </SectionsScreen>
  )
}

interface ShownProps {
  readonly org: Org
  readonly orgs: readonly Org[]
  readonly section: string
  readonly namespace: string
  readonly open: (id: string) => void
  readonly onOrg: (org: string) => void
}

/** What was typed about an org stays while one looks at another section. */
function Shown({ org, orgs, section, namespace, open, onOrg }: ShownProps) {
  const { data: sync } = useSync()
  const { error } = useErasures(org.org)
  const [form, setForm] = useState(() => firstForm(rightsIn(org), placeOf(namespace).namespace))
  const [requester, setRequester] = useState(org.subject)
  const [own] = orgs
  const isAway = own !== undefined && org.org !== own.org
  const onHere = isAway ? () => onOrg(own.org) : null
  const where = orgs.length > 1 && (
    <Choice
      name="where"
      label={say.where}
      value={org.org}
      options={Object.fromEntries(orgs.map((one) => [one.org, one === own ? say.here : one.org]))}
      onChange={onOrg}
    />
  )
  const shared = { org, where, form, requester, onForm: setForm, onRequester: setRequester, ...(onHere && { onHere }) }
  if (section === 'export') return <ExportSection {...shared} isTeamHere={isAway} />
  if (section !== 'erase') return <ErasureSection key={section} org={org} id={section} onOpen={open} onErase={() => open('erase')} />
  return (
    <EraseSection
      {...shared}
      isOffline={isAway && (sync?.state === 'offline' || (isLoomError(error) && error.code === 'UNAVAILABLE'))}
      onBegun={open}
      onExport={() => open('export')}
    />
  )
}

function Opening() {
  const { error, refetch } = useEngineInfo()
  if (!error) return <p className="q">{say.opening}</p>
  return <Unread text={`${say.noAnswer} ${error.message}`} onRetry={() => void refetch()} />
}

function Sections({ namespace, current }: { namespace: string; current: string }) {
  const now = useNow()
  const { data: backups } = useBackups()
  const newest = backups?.[0]
  return (
    <nav className="sections" aria-label={say.sections}>
      {SECTIONS.map((id) => (
        <a
          key={id}
          href={`#${pathOf({ screen: 'privacy', namespace, id })}`}
          className={id === current ? 'on' : undefined}
          aria-current={id === current ? 'page' : undefined}
        >
          {say[id]}
        </a>
      ))}
      {backups && (
        <a href={`#${pathOf({ screen: 'settings', namespace, id: 'backups' })}`}>
          {say.backups}
          <span>{BACKUPS.short(backups.length, newest ? listDate(newest.created_at, now, locale) : '')}</span>
        </a>
      )}
    </nav>
  )
}

/** How the team stands, in the words of the foot of the window. */
function SyncInWords() {
  const { data: status } = useSync()
  const now = useNow()
  const standing = status ? syncStanding(status, now, locale) : null
  if (!standing) return null
  return (
    <aside className="aside" aria-labelledby="sync-in-words">
      <h2 className="h3" id="sync-in-words">
        {say.inWords}
      </h2>
      <div className="card standing">
        <h3>
          <span className={standing.tone === 'ok' ? 'dot' : `dot ${standing.tone}`} aria-hidden="true" />
          {standing.title}
        </h3>
        <p>{standing.sentence}</p>
      </div>
      <p className="qq same-words">{say.sameWords}</p>
    </aside>
  )
}
