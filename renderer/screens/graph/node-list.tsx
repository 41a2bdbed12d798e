import { useVirtualizer } from '@tanstack/react-virtual'
import { useImperativeHandle, useRef, type Ref } from 'react'
import { STATUS_WORDS } from '../../text/plain-words.ts'
import type { GraphNode } from './model.ts'
import { GRAPH as say } from './strings.ts'

export interface NodeListHandle {
  focus(): void
  show(index: number): void
  pageSize(): number
  hasFocus(): boolean
}

interface NodeListProps {
  readonly nodes: readonly GraphNode[]
  readonly ties: (id: string) => number
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly ref: Ref<NodeListHandle>
}

const HEIGHT = 66
const rowId = (id: string): string => `node-${id}`

/** The graph as a list: its twin for everybody who does not see it drawn. */
export function NodeList({ nodes, ties, chosen, onChoose, ref }: NodeListProps) {
  const rows = useRef<HTMLDivElement>(null)
  // The compiler leaves this component alone, as it should: the virtualizer's functions change what they answer.
  // oxlint-disable-next-line react/incompatible-library
  const virtual = useVirtualizer({
    count: nodes.length,
    getScrollElement: () => rows.current,
    estimateSize: () => HEIGHT,
    getItemKey: (index) => nodes[index]?.id ?? index,
    overscan: 8,
  })
  useImperativeHandle(ref, () => ({
    focus: () => rows.current?.focus({ preventScroll: true }),
    show: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
    pageSize: () => Math.max(1, Math.floor((rows.current?.clientHeight ?? HEIGHT) / HEIGHT) - 1),
    hasFocus: () => rows.current === document.activeElement,
  }))
  const visible = virtual.getVirtualItems()
  const chosenShown = visible.some(({ index }) => nodes[index]?.id === chosen)
  return (
    <div
      ref={rows}
      className="rows"
      role="listbox"
      tabIndex={0}
      aria-label={say.list}
      aria-activedescendant={chosenShown ? rowId(chosen) : undefined}
      data-pane
    >
      <div role="presentation" style={{ height: virtual.getTotalSize() }}>
        {visible.map(({ index, start }) => {
          const node = nodes[index]
          return (
            node && (
              // oxlint-disable-next-line jsx-a11y/click-events-have-key-events -- the list has the focus and the keys
              <div
                key={node.id}
                id={rowId(node.id)}
                role="option"
                tabIndex={-1}
                aria-selected={node.id === chosen}
                aria-setsize={nodes.length}
                aria-posinset={index + 1}
                className={node.id === chosen ? 'row node-row on' : 'row node-row'}
                style={{ transform: `translateY(${start}px)`, height: HEIGHT }}
                onClick={() => onChoose(node.id)}
              >
                <span className="k">
                  <code>
                    <bdi>{node.label}</bdi>
                  </code>
                  {node.kind === 'entity' && <span className="badge">{say.entity}</span>}
                  {node.status !== 'active' && (
                    <span className={node.status === 'conflicted' ? 'badge warn' : 'badge'}>{STATUS_WORDS[node.status]}</span>
                  )}
                </span>
                {node.text && (
                  <span className="v" dir="auto">
                    {node.text}
                  </span>
                )}
                <span className="tags">{say.ties(ties(node.id))}</span>
              </div>
            )
          )
        })}
      </div>
    </div>
  )
}
