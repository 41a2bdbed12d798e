import { useEffect, type ReactNode } from 'react'
import { useLiveUpdates, useRecovery } from '../data/live.ts'
import { useWindowKeys } from '../state/keys.ts'
import { ONE_PANE, useMedia } from '../state/media.ts'
import { focusNextPane, inReader } from '../state/panes.ts'
import { useRoute, type Screen } from '../state/route.ts'
import { useUndo } from '../state/undo.tsx'
import { BackBar, TopBar } from './narrow-bars.tsx'
import { UndoBar } from './undo-bar.tsx'

/** What every screen gets from the window. */
export interface ScreenProps {
  readonly namespace: string
  readonly onWrite: () => void
  readonly onKeys: () => void
  readonly onMenu: () => void
}

interface SectionsInput extends ScreenProps {
  readonly screen: Screen
  readonly title: string
  /** Of the document, where it is not the screen's. */
  readonly named?: string
  /** Ids of the sections, in the order of the list. */
  readonly sections: readonly string[]
  /** The one that is shown. */
  readonly current: string
  /** The section answers Escape, and goes back by it once there is nothing else to leave. */
  readonly ownEscape?: boolean
}

export interface Sections extends ScreenProps {
  readonly title: string
  readonly onePane: boolean
  /** The section has the window to itself. */
  readonly reading: boolean
  /** The section that the list marks; empty where nothing is shown beside it. */
  readonly marked: string
  readonly back: () => void
}

const focusList = (): void => document.querySelector<HTMLElement>('.list-pane [aria-current]')?.focus()

/** Keys, title and updates of a screen with a list of sections, and where it stands. */
export function useSections({ screen, title, named = title, sections, current, ownEscape = false, ...props }: SectionsInput): Sections {
  const { namespace, onWrite, onKeys } = props
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const { undo } = useUndo()
  useRecovery()
  useLiveUpdates(() => true)
  const reading = onePane && route.id !== ''
  useEffect(() => {
    document.title = `${named} · Loom`
  }, [named])

  const back = (): void => {
    if (reading) navigate({ screen, namespace })
    requestAnimationFrame(focusList)
  }
  const move = (by: number) => (): void | false => {
    if (inReader() || reading) return false
    const to = sections[Math.min(Math.max(sections.indexOf(current) + by, 0), sections.length - 1)]
    if (to !== undefined && !onePane) navigate({ screen, namespace, id: to }, { replace: true })
    requestAnimationFrame(focusList)
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
    ...(!ownEscape && { Escape: back }),
  })
  return { ...props, title, onePane, reading, marked: onePane ? '' : current, back }
}

interface SectionsScreenProps {
  readonly of: Sections
  /** Classes of the list. */
  readonly className?: string
  /** What links to the sections. */
  readonly list: ReactNode
  /** The section in sight. */
  readonly children: ReactNode
}

/** A list of sections with one of them beside it, or one after the other where there is room for one pane. */
export function SectionsScreen({
  of: { title, onePane, reading, back, onWrite, onMenu },
  className = '',
  list,
  children,
}: SectionsScreenProps) {
  return (
    <>
      {onePane && !reading && (
        <TopBar onMenu={onMenu} onWrite={onWrite}>
          <h1 className="screen-name">{title}</h1>
        </TopBar>
      )}
      {reading && <BackBar label={title} onBack={back} />}
      <section className={`list-pane settings ${className}`.trim()} aria-label={title} inert={reading} data-pane tabIndex={-1}>
        {!onePane && (
          <div className="head">
            <h1>{title}</h1>
          </div>
        )}
        {list}
      </section>
      <main className="reader-pane">
        {(!onePane || reading) && children}
        <UndoBar />
      </main>
    </>
  )
}

interface SectionPaneProps {
  readonly label: string
  readonly className?: string
  readonly aside?: ReactNode
  readonly children: ReactNode
}

/** A section that is read and filled in from top to bottom. */
export function SectionPane({ label, className = '', aside, children }: SectionPaneProps) {
  return (
    <div className={`reader-scroll settings-form ${className}`.trim()} role="region" aria-label={label} tabIndex={-1} data-pane>
      <article className="body">{children}</article>
      {aside}
    </div>
  )
}
