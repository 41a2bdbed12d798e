import { useEffect, useRef, useState, type DragEvent } from 'react'
import { useKnowledgeUpdates } from '../../data/knowledge.ts'
import { useLiveUpdates, useRecovery } from '../../data/live.ts'
import { BackBar } from '../../parts/narrow-bars.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import type { ScreenProps } from '../../parts/sections-screen.tsx'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { useDebounced } from '../../state/debounced.ts'
import { useWindowKeys } from '../../state/keys.ts'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { focusNextPane, inReader } from '../../state/panes.ts'
import { useRoute } from '../../state/route.ts'
import { useUndo } from '../../state/undo.tsx'
import { AddDialog } from './add-dialog.tsx'
import { Collections, DocumentsPane } from './list-pane.tsx'
import { DocumentReader } from './reader.tsx'
import { KNOWLEDGE as say } from './strings.ts'

const REST_MS = 150
const ACCEPT = '.md,.markdown,.mdown,.txt,.text,.log,.html,.htm,.xhtml,.pdf,text/*,application/pdf'

const holdsFiles = (event: DragEvent): boolean => event.dataTransfer.types.includes('Files')

/** Documents of a namespace: added by the button or by dropping files, read by section, searched with citations. */
export function KnowledgeScreen({ namespace, onWrite, onKeys, onMenu }: ScreenProps) {
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const [typed, setTyped] = useState('')
  const [collection, setCollection] = useState('')
  const [files, setFiles] = useState<readonly File[]>([])
  const [dragging, setDragging] = useState(false)
  const query = useDebounced(typed.trim(), REST_MS)
  const picker = useRef<HTMLInputElement>(null)
  const search = useRef<HTMLInputElement>(null)
  const { undo } = useUndo()
  useRecovery()
  useLiveUpdates(() => true)
  useKnowledgeUpdates()
  const address = route.id
  const reading = onePane && address !== ''
  const open = (id: string): void => navigate({ screen: 'knowledge', namespace, id })
  const focusList = (): void => document.querySelector<HTMLElement>('.doc-row')?.focus()
  const move = (by: number) => (): void | false => {
    if (inReader() || reading) return false
    const rows = [...document.querySelectorAll<HTMLElement>('.doc-row')]
    const at = rows.findIndex((row) => row === document.activeElement)
    rows[Math.min(Math.max(at + by, 0), rows.length - 1)]?.focus()
    return undefined
  }
  useWindowKeys({
    j: move(1),
    k: move(-1),
    ArrowDown: move(1),
    ArrowUp: move(-1),
    '/': () => search.current?.focus(),
    n: onWrite,
    u: undo,
    'mod+z': undo,
    '?': onKeys,
    F6: focusNextPane,
    Escape: () => {
      if (reading) open('')
      else focusList()
    },
  })
  useEffect(() => {
    document.title = `${say.title} · Loom`
  }, [])
  const take = (list: FileList | null): void => {
    if (list && list.length > 0) setFiles([...list])
  }
  const searchField = (
    <SearchField ref={search} label={say.search} value={typed} onChange={setTyped} onLeave={focusList} keys={{ ArrowDown: focusList }} />
  )
  const addButton = (
    <button type="button" className="btn sm" onClick={() => picker.current?.click()}>
      {say.add}
    </button>
  )
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setDragging(true)
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDragging(false)
    },
    onDrop: (event: DragEvent) => {
      if (!holdsFiles(event)) return
      event.preventDefault()
      setDragging(false)
      take(event.dataTransfer.files)
    },
  }
  return (
    <>
      {onePane && !reading && (
        <header className="topbar">
          <button type="button" className="btn" onClick={onMenu} aria-haspopup="dialog">
            {say.menu}
          </button>
          {searchField}
          {addButton}
        </header>
      )}
      {reading && <BackBar label={say.back} onBack={() => open('')} />}
      <section className="list-pane" aria-label={say.pane} inert={reading} data-pane tabIndex={-1} {...drop}>
        {address === '' && <h1 className="sr">{say.title}</h1>}
        {!onePane && (
          <div className="search-line">
            {searchField}
            {addButton}
          </div>
        )}
        <Collections namespace={namespace} collection={collection} onCollection={setCollection} />
        <DocumentsPane
          namespace={namespace}
          collection={collection}
          query={query}
          address={address}
          onCollection={setCollection}
          onOpen={open}
          onAdd={() => picker.current?.click()}
        />
        {dragging && (
          <div className="drop-here" aria-hidden="true">
            {say.dropHere}
          </div>
        )}
      </section>
      <main className="reader-pane" {...drop}>
        {(!onePane || reading) && <DocumentReader namespace={namespace} address={address} onGone={() => open('')} />}
        <UndoBar />
      </main>
      <input
        ref={picker}
        type="file"
        multiple
        hidden
        accept={ACCEPT}
        aria-label={say.add}
        onChange={(event) => {
          take(event.target.files)
          event.target.value = ''
        }}
      />
      {files.length > 0 && (
        <AddDialog
          namespace={namespace}
          files={files}
          collection={collection}
          onClose={() => setFiles([])}
          onAdded={(id, into) => {
            if (collection !== '') setCollection(into)
            open(id)
          }}
        />
      )}
    </>
  )
}
