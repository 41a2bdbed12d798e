import type { Ref } from 'react'
import { FixedRows, type RowsHandle } from '../../parts/fixed-rows.tsx'
import { STATUS_WORDS } from '../../text/plain-words.ts'
import type { GraphNode } from './model.ts'
import { GRAPH as say } from './strings.ts'

interface NodeListProps {
  readonly nodes: readonly GraphNode[]
  readonly ties: (id: string) => number
  readonly chosen: string
  readonly onChoose: (id: string) => void
  readonly ref: Ref<RowsHandle>
}

const HEIGHT = 66
const rowId = (id: string): string => `node-${id}`

/** The graph as a list: its twin for everybody who does not see it drawn. */
export function NodeList({ nodes, ties, chosen, onChoose, ref }: NodeListProps) {
  return (
    <FixedRows items={nodes} chosen={chosen} rowId={rowId} height={HEIGHT} className="rows" label={say.list} ref={ref}>
      {(node, index, start) => (
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
      )}
    </FixedRows>
  )
}
