import { useState, type Ref } from 'react'
import type { Filter } from '../../data/filter.ts'
import type { Items } from '../../data/items.ts'
import type { NamespaceRow } from '../../data/namespaces.ts'
import type { EngineInfo } from '../../data/queries.ts'
import { useSampleCount, useSamples } from '../../data/samples.ts'
import { locale } from '../../state/locale.ts'
import { useUndo } from '../../state/undo.tsx'
import { messageOf } from '../../text/message-of.ts'
import { Failed, LoadingRows } from '../../parts/list-states.tsx'
import { Answer } from './answer.tsx'
import { Nothing } from './list-states.tsx'
import { MemoryList, type ListHandle } from './list.tsx'
import { LIST as say } from './strings.ts'

interface ListPaneProps {
  readonly items: Items
  readonly filter: Filter
  readonly info: EngineInfo | undefined
  readonly namespaces: readonly NamespaceRow[]
  readonly activeId: string | null
  readonly you: string
  readonly live: { waiting: boolean; show: () => void }
  readonly onFilter: (change: Partial<Filter>) => void
  readonly onWrite: () => void
  readonly onChoose: (id: string) => void
  /** Shows a memory that may be in no row. */
  readonly onOpen: (id: string) => void
  readonly ref: Ref<ListHandle>
}

const clock = (at: number): string => new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' }).format(at)

/** Everything below the chips. In every state the same places hold the same kinds of things. */
export function ListPane({
  items,
  filter,
  info,
  namespaces,
  activeId,
  you,
  live,
  onFilter,
  onWrite,
  onChoose,
  onOpen,
  ref,
}: ListPaneProps) {
  const held = namespaces.find((row) => row.namespace === filter.namespace)?.rows ?? null
  const wordsOnly = items.ranked && items.degraded.includes('embedder')
  return (
    <>
      {wordsOnly && <p className="note strip">{info?.embedder.state === 'unavailable' ? say.wordsOnlyForGood : say.wordsOnly}</p>}
      <SamplesStrip namespace={filter.namespace} />
      <div className="meta">
        <span role="status">{items.loading ? say.opening : say.meta(items)}</span>
        {live.waiting ? (
          <button type="button" className="link" onClick={live.show}>
            {say.changed}
          </button>
        ) : (
          <span>{items.ranked ? say.order.ranked : say.order.newest}</span>
        )}
      </div>
      <Answer filter={filter} onOpen={onOpen} />
      {items.error && items.shown && (
        <div className="note warn strip" role="alert">
          <span>
            {say.stopped} {clock(items.readAt)}.
          </span>
          <button type="button" className="btn sm" onClick={items.retry}>
            {say.tryAgain}
          </button>
        </div>
      )}
      <Below {...{ items, filter, held, namespaces, activeId, you, onFilter, onWrite, onChoose, ref }} />
    </>
  )
}

/** While samples are there: one click takes them out. */
function SamplesStrip({ namespace }: { namespace: string }) {
  const amount = useSampleCount(namespace)
  const samples = useSamples()
  const { say: tell } = useUndo()
  const [busy, setBusy] = useState(false)
  if (amount === 0) return null
  const takeOut = async (): Promise<void> => {
    setBusy(true)
    try {
      const taken = await samples.takeOut()
      const undo = async (): Promise<string> => {
        await samples.add()
        return say.backIn
      }
      tell({ said: say.takenOut(taken), undo })
    } catch (error) {
      tell({ said: messageOf(error), failed: true })
    } finally {
      setBusy(false)
    }
  }
  return (
    <p className="note strip">
      <span>{say.samplesHere(amount)}</span>
      <button type="button" className="btn sm" disabled={busy} onClick={() => void takeOut()}>
        {say.takeOut}
      </button>
    </p>
  )
}

function Below({
  items,
  filter,
  held,
  namespaces,
  activeId,
  you,
  onFilter,
  onWrite,
  onChoose,
  ref,
}: Omit<ListPaneProps, 'info' | 'live' | 'onOpen'> & { held: number | null }) {
  if (items.loading) return <LoadingRows />
  if (items.error && !items.shown) return <Failed message={items.error.message} onRetry={items.retry} />
  if (!items.items.length) {
    return (
      <Nothing
        filter={items.shown ?? filter}
        held={held}
        manyNamespaces={namespaces.length > 1}
        reason={items.abstainReason}
        onFilter={onFilter}
        onWrite={onWrite}
      />
    )
  }
  return (
    <MemoryList
      ref={ref}
      items={items}
      activeId={activeId}
      you={you}
      showNamespace={items.shown?.everywhere ?? false}
      onChoose={onChoose}
    />
  )
}
