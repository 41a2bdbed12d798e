import type { Ref, RefObject } from 'react'
import { ChipMenu } from '../../parts/chip-menu.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Empty, Failed, LoadingRows } from '../../parts/list-states.tsx'
import type { GraphNode } from './model.ts'
import type { RowsHandle } from '../../parts/fixed-rows.tsx'
import { NodeList } from './node-list.tsx'
import { GRAPH as say } from './strings.ts'
import type { GraphData } from './use-graph.ts'

interface ListPaneProps {
  readonly graph: GraphData
  readonly nodes: readonly GraphNode[]
  readonly chosen: string
  readonly whole: boolean
  readonly typed: string
  readonly total: { readonly nodes: number; readonly ties: number } | null
  readonly waits: boolean
  readonly stale: boolean
  readonly reading: boolean
  /** The screen is named above it already. */
  readonly named: boolean
  readonly tiesOf: (id: string) => number
  readonly onTyped: (typed: string) => void
  readonly onWhole: (whole: boolean) => void
  readonly onChoose: (id: string) => void
  readonly onNewest: () => void
  readonly onRead: () => void
  readonly onWrite: () => void
  readonly search: Ref<HTMLInputElement>
  readonly list: RefObject<RowsHandle | null>
}

const SCOPES = [
  { value: 'around', label: say.around },
  { value: 'whole', label: say.whole },
]

/** What is shown, and every node of it as a list. */
export function ListPane(props: ListPaneProps) {
  const { graph, whole, typed, total, stale, reading, named, onTyped, onWhole, onRead, search, list } = props
  const toList = (): void => list.current?.focus()
  return (
    <section className="list-pane graph-list" aria-label={say.list} inert={reading}>
      {!named && (
        <div className="head">
          <h1>{say.title}</h1>
        </div>
      )}
      <SearchField
        ref={search}
        label={say.search}
        value={typed}
        onChange={onTyped}
        onLeave={toList}
        keys={{ ArrowDown: toList, Enter: toList }}
      />
      <div className="chips" role="group" aria-label={say.scope}>
        <ChipMenu
          name={say.scope}
          label={whole ? say.whole : say.around}
          on={whole}
          value={whole ? 'whole' : 'around'}
          options={SCOPES}
          onChoose={(value) => onWhole(value === 'whole')}
        />
      </div>
      <div className="meta">
        <span role="status">{total ? say.meta(total.nodes, total.ties) : graph.empty || graph.gone ? '' : say.opening}</span>
        {stale ? (
          <button type="button" className="link" onClick={onRead}>
            {say.changed}
          </button>
        ) : (
          <span>{total && say.order}</span>
        )}
      </div>
      {graph.cutTo > 0 && <p className="note strip">{say.cut(graph.cutTo)}</p>}
      <Below {...props} />
    </section>
  )
}

function Below({ graph, nodes, chosen, typed, waits, tiesOf, onChoose, onNewest, onWrite, list }: ListPaneProps) {
  if (graph.error && nodes.length === 0) return <Failed title={say.failed} message={graph.error.message} onRetry={graph.retry} />
  if (graph.empty) {
    return (
      <Empty title={say.empty} text={say.emptyNext}>
        <button type="button" className="btn pri" onClick={onWrite}>
          {say.write} <kbd aria-hidden="true">N</kbd>
        </button>
      </Empty>
    )
  }
  if (graph.gone) {
    return (
      <Empty title={say.gone} text={say.goneNext}>
        <button type="button" className="btn pri" onClick={onNewest}>
          {say.newest}
        </button>
      </Empty>
    )
  }
  if (nodes.length > 0) return <NodeList ref={list} nodes={nodes} ties={tiesOf} chosen={chosen} onChoose={onChoose} />
  if (waits) return <LoadingRows />
  return (
    <div className="empty" role="status">
      <p>{say.nothing(typed)}</p>
    </div>
  )
}
