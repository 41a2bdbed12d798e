import { useEffect, useState, type ReactNode } from 'react'
import type { Item } from '../../data/item.ts'
import { useHistory, useMemoryRow, type ReadRow } from '../../data/queries.ts'
import { provenanceSentence } from '../../text/plain-words.ts'
import { targetOf, type Actions, type Target } from './actions.ts'
import { Around } from './around.tsx'
import { ConflictCard } from './conflict-card.tsx'
import { Crumb } from './crumb.tsx'
import { Details } from './details.tsx'
import { RetiredReader } from './retired-reader.tsx'
import { READER as say } from './strings.ts'
import { Value } from './value.tsx'
import { Versions } from './versions.tsx'

export interface ReaderProps {
  readonly id: string | null
  /** There is no memory to choose. */
  readonly nothing: boolean
  /** What the list knows of it, shown until the rest is here. */
  readonly preview: Item | null
  readonly you: string
  readonly actions: Actions
  readonly onEdit: (row: ReadRow) => void
  readonly onOpen: (id: string) => void
  readonly onTag: (tag: string) => void
  readonly onRetire: (target: Target) => void
  readonly onRestore: (id: string, key: string) => void
}

/** One memory: what it says, what stands against it, where it comes from. */
export function Reader(props: ReaderProps) {
  const { id, nothing, preview } = props
  const read = useMemoryRow(id)
  return (
    <div className="reader-scroll" role="region" aria-label={say.label} tabIndex={-1} data-pane>
      {id === null ? nothing ? null : <NoneChosen /> : <ReaderBody key={id} {...props} id={id} preview={preview} read={read} />}
    </div>
  )
}

function NoneChosen() {
  return (
    <div className="empty">
      <h2>{say.none}</h2>
      <p>{say.noneNext}</p>
    </div>
  )
}

interface BodyProps extends ReaderProps {
  readonly id: string
  readonly read: ReturnType<typeof useMemoryRow>
}

function ReaderBody({ id, preview, read, ...props }: BodyProps) {
  const history = useHistory(id)
  useEffect(() => {
    // Another memory begins at its top; the pane itself stays, and keeps the focus.
    document.querySelector('.reader-scroll')?.scrollTo({ top: 0 })
  }, [])
  if (read.error && !read.data && !preview) {
    return (
      <div className="empty" role="alert">
        <h2>{say.failed}</h2>
        <p>{read.error.message}</p>
      </div>
    )
  }
  const row = read.data?.row ?? null
  if (row) return <LiveReader {...props} row={row} preview={preview} history={history.data} />
  if (preview?.status === 'tombstoned' || read.data) {
    return (
      <RetiredReader
        preview={preview}
        reason={read.data?.reason ?? 'deleted'}
        history={history.data}
        you={props.you}
        onRestore={(key) => props.onRestore(id, key)}
      />
    )
  }
  return (
    <article className="body" aria-busy={read.isFetching}>
      {preview && <Crumb namespace={preview.namespace} name={preview.key} />}
      {preview && !preview.withheld && (
        <h1 className="title" dir="auto">
          {preview.excerpt}
        </h1>
      )}
      {read.error && (
        <p className="note warn" role="alert">
          <span>
            {say.restFailed} {read.error.message}
          </span>
        </p>
      )}
    </article>
  )
}

interface LiveProps extends Omit<ReaderProps, 'id' | 'nothing'> {
  readonly row: ReadRow
  readonly history: ReturnType<typeof useHistory>['data']
}

function LiveReader({ row, preview, history, you, actions, onEdit, onOpen, onTag, onRetire }: LiveProps) {
  const [shown, setShown] = useState(false)
  const sensitive = row.sensitivity === 'high' && !shown
  const inConflict = row.status === 'conflicted' || (preview?.inConflict ?? false)
  return (
    <>
      <article className="body">
        <Crumb namespace={row.namespace} name={row.memory_key} />
        {sensitive ? <Hidden onShow={() => setShown(true)} /> : <Value value={row.value} />}
        <div className="acts">
          <button type="button" className="btn" onClick={() => onEdit(row)}>
            {say.edit} <kbd aria-hidden="true">E</kbd>
          </button>
          <button type="button" className="btn" onClick={() => void actions.togglePin(row)}>
            {row.pinned ? say.unpin : say.pin} <kbd aria-hidden="true">P</kbd>
          </button>
          <CopyKey name={row.memory_key} />
          <button type="button" className="btn" onClick={() => onRetire(targetOf(row))}>
            {say.retire} <kbd aria-hidden="true">Del</kbd>
          </button>
        </div>
        <Standing row={row} onOpen={onOpen} />
        <ConflictCard row={row} inConflict={inConflict} unknown={preview === null} you={you} onOpen={onOpen} />
        <p className="origin">
          <bdi>{provenanceSentence(row, you)}</bdi>
        </p>
        <Around namespace={row.namespace} id={row.memory_id} onOpen={onOpen} />
        {history && <Versions history={history} hidden={sensitive} you={you} />}
      </article>
      <aside className="aside" aria-label={say.details}>
        <h2 className="h3">{say.details}</h2>
        <Details row={row} you={you} onTag={onTag} />
      </aside>
    </>
  )
}

function Hidden({ onShow }: { onShow: () => void }) {
  return (
    <p className="note hidden-value">
      <span>{say.sensitive}</span>
      <button type="button" className="btn sm" onClick={onShow}>
        {say.show}
      </button>
    </p>
  )
}

function CopyKey({ name }: { name: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  return (
    <button type="button" className="btn" onClick={() => void navigator.clipboard.writeText(name).then(() => setCopied(true))}>
      {copied ? say.copied : say.copyKey}
    </button>
  )
}

/** What a person has to know before they trust it: that it was replaced, repeats another, or is guarded. */
function Standing({ row, onOpen }: { row: ReadRow; onOpen: (id: string) => void }) {
  const notes: ReactNode[] = []
  if (row.status === 'superseded') {
    notes.push(
      <p key="replaced" className="note">
        {say.replaced}
        {row.superseded_by && (
          <button type="button" className="btn sm" onClick={() => onOpen(row.superseded_by)}>
            {say.openOther}
          </button>
        )}
      </p>,
    )
  }
  if (row.status === 'duplicate') {
    notes.push(
      <p key="duplicate" className="note">
        <span>
          {say.duplicateOf}{' '}
          <button type="button" className="link" onClick={() => onOpen(row.duplicate_of)}>
            <bdi>{row.canonical_key || say.another}</bdi>
          </button>
        </span>
      </p>,
    )
  }
  if (row.provisional) {
    notes.push(
      <p key="waiting" className="note">
        {say.waiting}
      </p>,
    )
  }
  if (row.lock) {
    notes.push(
      <p key="lock" className="note">
        {say.locked(row.lock.locked_by, row.lock.reason)}
      </p>,
    )
  }
  return notes
}
