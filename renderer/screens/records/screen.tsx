import { useEffect } from 'react'
import { useLiveUpdates, useRecovery } from '../../data/live.ts'
import { useRecordUpdates, useSchemas } from '../../data/records.ts'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { useWindowKeys } from '../../state/keys.ts'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { focusNextPane, inReader } from '../../state/panes.ts'
import { useRoute } from '../../state/route.ts'
import { useUndo } from '../../state/undo.tsx'
import { BackBar, TopBar } from '../memories/narrow-bars.tsx'
import { RecordsPane } from './records-pane.tsx'
import { SchemaList } from './schema-list.tsx'
import { RECORDS as say } from './strings.ts'

interface RecordsProps {
  readonly namespace: string
  readonly onWrite: () => void
  readonly onKeys: () => void
  readonly onMenu: () => void
}

/** Rows with exact fields: a table for each schema. */
export function RecordsScreen({ namespace, onWrite, onKeys, onMenu }: RecordsProps) {
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const { undo } = useUndo()
  const { data: schemas = [], isPending } = useSchemas(namespace)
  useRecovery()
  useLiveUpdates(() => true)
  useRecordUpdates()
  const reading = onePane && route.id !== ''
  const current = schemas.find((row) => row.schema === route.id) ?? (onePane ? undefined : schemas[0])
  useEffect(() => {
    document.title = `${current?.schema ?? say.title} · Loom`
  }, [current])

  const focusList = (): void => document.querySelector<HTMLElement>('.sections [aria-current]')?.focus()
  const back = (): void => {
    if (reading) navigate({ screen: 'records', namespace })
    requestAnimationFrame(focusList)
  }
  const move = (by: number) => (): void | false => {
    if (inReader() || reading) return false
    const at = schemas.findIndex((row) => row.schema === current?.schema)
    const to = schemas[Math.min(Math.max(at + by, 0), schemas.length - 1)]
    if (to && !onePane) navigate({ screen: 'records', namespace, id: to.schema }, { replace: true })
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
  })
  return (
    <>
      {onePane && !reading && (
        <TopBar onMenu={onMenu} onWrite={onWrite}>
          <h1 className="screen-name">{say.title}</h1>
        </TopBar>
      )}
      {reading && <BackBar label={say.title} onBack={back} />}
      <section className="list-pane settings schemas" aria-label={say.title} inert={reading} data-pane tabIndex={-1}>
        {!onePane && (
          <div className="head">
            <h1>{say.title}</h1>
          </div>
        )}
        <SchemaList namespace={namespace} schemas={schemas} current={current?.schema ?? ''} />
        {!isPending && schemas.length === 0 && (
          <div className="records-none">
            <p>{say.none}</p>
            <p className="q">{say.noneLong}</p>
            <p className="mono s">{say.noneHow}</p>
          </div>
        )}
      </section>
      <main className="reader-pane">
        {(!onePane || reading) && current && (
          <RecordsPane key={`${namespace}/${current.schema}`} namespace={namespace} schema={current} onBack={back} />
        )}
        <UndoBar />
      </main>
    </>
  )
}
