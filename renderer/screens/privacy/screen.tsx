import { useEffect, useState } from 'react'
import { isLoomError } from '../../../shared/contract/errors.ts'
import { useBackups } from '../../data/backups.ts'
import { useErasures, useOrgs, type Org } from '../../data/erasure.ts'
import { useRecovery } from '../../data/live.ts'
import { placeOf } from '../../data/places.ts'
import { useEngineInfo } from '../../data/queries.ts'
import { useSync } from '../../data/sync.ts'
import { Choice } from '../../parts/choice.tsx'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { useWindowKeys } from '../../state/keys.ts'
import { locale, useNow } from '../../state/locale.ts'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { focusNextPane, inReader } from '../../state/panes.ts'
import { pathOf, useRoute } from '../../state/route.ts'
import { useUndo } from '../../state/undo.tsx'
import { syncStanding } from '../../text/sync-words.ts'
import { listDate } from '../../text/when.ts'
import { BackBar, TopBar } from '../memories/narrow-bars.tsx'
import { BACKUPS } from '../settings/computer-strings.ts'
import { EraseSection } from './erase-section.tsx'
import { ErasureSection } from './erasure-section.tsx'
import { ExportSection } from './export-section.tsx'
import { Past } from './past.tsx'
import { firstForm, rightsIn } from './scope.ts'
import { PRIVACY as say } from './strings.ts'

interface PrivacyProps {
  readonly namespace: string
  readonly onWrite: () => void
  readonly onKeys: () => void
  readonly onMenu: () => void
}

const SECTIONS = ['erase', 'export'] as const

/** Erase and be able to prove it; hand out what is known about somebody. */
export function PrivacyScreen({ namespace, onWrite, onKeys, onMenu }: PrivacyProps) {
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const { undo } = useUndo()
  const orgs = useOrgs()
  const [chosen, setChosen] = useState(placeOf(namespace).org)
  const org = orgs?.find((one) => one.org === chosen) ?? orgs?.[0]
  const { data: past } = useErasures(org?.org ?? '')
  useRecovery()
  const reading = onePane && route.id !== ''
  const section = route.id === '' ? 'erase' : route.id
  useEffect(() => {
    document.title = `${say.title} · Loom`
  }, [])

  const open = (id: string): void => navigate({ screen: 'privacy', namespace, id })
  const list = (): void => document.querySelector<HTMLElement>('.privacy [aria-current]')?.focus()
  const back = (): void => {
    if (reading) navigate({ screen: 'privacy', namespace })
    requestAnimationFrame(list)
  }
  const move = (by: number) => (): void | false => {
    if (inReader() || reading) return false
    const all = [...SECTIONS, ...(past ?? []).map((row) => row.erasure_id)]
    const to = all[Math.min(Math.max(all.indexOf(section) + by, 0), all.length - 1)]
    if (to && !onePane) navigate({ screen: 'privacy', namespace, id: to }, { replace: true })
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
      <section className="list-pane settings privacy" aria-label={say.title} inert={reading} data-pane tabIndex={-1}>
        {!onePane && (
          <div className="head">
            <h1>{say.title}</h1>
          </div>
        )}
        <Sections namespace={namespace} current={onePane ? '' : section} />
        {org && <Past org={org.org} namespace={namespace} current={onePane ? '' : section} />}
      </section>
      <main className="reader-pane">
        {(!onePane || reading) && (
          <div className="reader-scroll settings-form privacy-form" role="region" aria-label={say.section} tabIndex={-1} data-pane>
            <article className="body">
              {org && orgs ? <Shown key={org.org} {...{ org, orgs, section, namespace, open, onOrg: setChosen }} /> : <Opening />}
            </article>
            <SyncInWords />
          </div>
        )}
        <UndoBar />
      </main>
    </>
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
  return (
    <p className="note warn" role="alert">
      <span>
        {say.noAnswer} {error.message}
      </span>
      <button type="button" className="btn sm" onClick={() => void refetch()}>
        {say.tryAgain}
      </button>
    </p>
  )
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
