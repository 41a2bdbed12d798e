import { useEffect, useRef, useState } from 'react'
import { NO_FILTER, type Filter } from '../../data/filter.ts'
import { useItems, useItemsUnderWay } from '../../data/items.ts'
import { useLiveUpdates, useRecovery } from '../../data/live.ts'
import { useNamespaces } from '../../data/namespaces.ts'
import { useEngineInfo, type ReadRow } from '../../data/queries.ts'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { usePaced } from '../../state/paced.ts'
import { useRoute } from '../../state/route.ts'
import { useActions, type Target } from './actions.ts'
import { Filters } from './filters.tsx'
import { ListPane } from './list-pane.tsx'
import type { ListHandle } from './list.tsx'
import { ReaderBar, TopBar } from '../../parts/narrow-bars.tsx'
import { Reader } from './reader.tsx'
import { SearchBox } from './search-box.tsx'
import { FILTERS, LIST } from './strings.ts'
import { useMemoryKeys } from './use-memory-keys.ts'
import { useSelection } from './use-selection.ts'

interface MemoriesProps {
  readonly namespace: string
  readonly onNamespace: (namespace: string) => void
  readonly onWrite: (text?: string) => void
  readonly onEdit: (row: ReadRow) => void
  readonly onKeys: () => void
  readonly onMenu: () => void
}

/** So long a letter waits for the answer to the one before it. Milliseconds. */
const WAIT_MS = 250

/** Find one claim among many, and trust it. */
export function MemoriesScreen({ namespace, onNamespace, onWrite, onEdit, onKeys, onMenu }: MemoriesProps) {
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const [typed, setTyped] = useState('')
  const [chosenFilter, setFilter] = useState(NO_FILTER)
  const query = usePaced(typed.trim(), useItemsUnderWay(), WAIT_MS)
  const filter: Filter = { ...chosenFilter, everywhere: chosenFilter.everywhere && query !== '', namespace, query }
  const items = useItems(filter)
  const selection = useSelection(items, !onePane, route.id)
  const info = useEngineInfo().data
  const namespaces = useNamespaces().data ?? []
  const actions = useActions()
  const list = useRef<ListHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  useRecovery()
  const live = useLiveUpdates(() => list.current?.isAtTop() ?? true)

  const you = info ? `${info.principal.kind}:${info.principal.subject}` : ''
  const reading = onePane && route.id !== ''
  const readerId = onePane ? route.id || null : selection.id
  const preview = items.items.find((item) => item.id === readerId) ?? null

  // An address that names a memory (a link, or back and forward) chooses it.
  const [seenId, setSeenId] = useState(route.id)
  if (route.id !== seenId) {
    setSeenId(route.id)
    if (route.id) selection.choose(route.id)
  }

  const change = (part: Partial<Filter>): void => setFilter((before) => ({ ...before, ...part }))
  const moves = useRef(0)
  const moveToEnd = async (): Promise<void> => {
    const move = ++moves.current
    list.current?.show(items.total - 1)
    const last = await items.readToEnd(() => move === moves.current)
    if (!last) return
    selection.choose(last)
    list.current?.show(items.total - 1)
  }
  const move = (by: number): void => {
    if (by === Number.POSITIVE_INFINITY && items.hasMore && !items.ranked) {
      void moveToEnd()
      return
    }
    moves.current++
    const next = selection.move(by)
    if (!next) return
    list.current?.show(next.index)
    if (reading) navigate({ namespace, id: next.id }, { replace: true })
  }
  const choose = (id: string): void => {
    selection.choose(id)
    if (onePane) navigate({ namespace, id })
  }
  const open = (id: string): void => {
    choose(id)
    if (!onePane) document.querySelector<HTMLElement>('.reader-scroll')?.focus()
  }
  const back = (): void => {
    if (reading) navigate({ namespace, id: '' })
    else if (chosenFilter !== NO_FILTER) setFilter(NO_FILTER)
    list.current?.focus()
  }
  const setQuery = (text: string): void => {
    setTyped(text)
    if (!text) change({ everywhere: false })
  }
  const after = (id: string): void => {
    // What took the place of the row that went.
    const next = items.items[selection.index + 1] ?? items.items[selection.index - 1]
    if (selection.id === id) selection.choose(next?.id ?? null)
    if (reading) navigate({ namespace, id: '' })
    list.current?.focus()
  }
  const retire = (target: Target): void => void actions.retire(target).then((done) => done && target.id === readerId && after(target.id))
  const restore = (id: string, key: string): void => void actions.restore(id, key).then((done) => done && id === readerId && after(id))

  useMemoryKeys({ search, list, preview, readerId, move, open, back, retire, restore, actions, onWrite: () => onWrite(), onEdit, onKeys })

  useEffect(() => {
    document.title = preview ? `${preview.key} · Loom` : 'Loom'
  }, [preview])

  const showFilter = (tag: string): void => {
    setQuery('')
    change({ tag })
    if (reading) navigate({ namespace, id: '' })
  }
  const searchBox = (
    <SearchBox
      ref={search}
      value={typed}
      onChange={setQuery}
      onMove={move}
      onOpen={() => selection.id && open(selection.id)}
      onLeave={() => {
        // With no row there is no list to go to; the letters are commands again all the same.
        if (list.current) list.current.focus()
        else search.current?.blur()
      }}
      hasRows={items.items.length > 0}
      activeRow={selection.index >= 0 && selection.id ? `row-${selection.id}` : undefined}
    />
  )
  return (
    <>
      {onePane && !reading && (
        <TopBar onMenu={onMenu} onWrite={() => onWrite()}>
          {searchBox}
        </TopBar>
      )}
      {reading && (
        <ReaderBar
          label={LIST.meta(items)}
          index={selection.index}
          total={items.total}
          onBack={back}
          onPrevious={() => move(-1)}
          onNext={() => move(1)}
        />
      )}
      <section className="list-pane" aria-label={FILTERS.pane} inert={reading}>
        {onePane && !reading && items.items.length > 0 && <h1 className="sr">{FILTERS.pane}</h1>}
        {!onePane && searchBox}
        <Filters filter={filter} namespaces={namespaces} tags={commonTags(items.items)} onFilter={change} onNamespace={onNamespace} />
        <ListPane
          ref={list}
          items={items}
          filter={filter}
          info={info}
          namespaces={namespaces}
          activeId={selection.id}
          you={you}
          live={live}
          onFilter={change}
          onWrite={() => onWrite(typed.trim())}
          onChoose={choose}
          onOpen={open}
        />
      </section>
      <main className="reader-pane">
        {(!onePane || reading) && (
          <Reader
            id={readerId}
            nothing={!items.items.length}
            preview={preview}
            you={you}
            actions={actions}
            onEdit={onEdit}
            onOpen={open}
            onTag={showFilter}
            onRetire={retire}
            onRestore={restore}
          />
        )}
        <UndoBar />
      </main>
    </>
  )
}

const MOST_TAGS = 12

function commonTags(items: readonly { tags: readonly string[] }[]): string[] {
  const counts = new Map<string, number>()
  for (const { tags } of items.slice(0, 500)) for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts]
    .toSorted((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]))
    .slice(0, MOST_TAGS)
    .map(([tag]) => tag)
}
