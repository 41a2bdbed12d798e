import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import { entityOf, type Ties } from '../../data/graph.ts'
import { STATUS_WORDS } from '../../text/plain-words.ts'
import { modelAround, neighboursOf, type GraphNode, type Neighbour, type TieKind } from './model.ts'
import { NODE as say } from './strings.ts'

interface DetailsProps {
  readonly node: GraphNode
  readonly ties: UseQueryResult<Ties>
  /** The graph is drawn around it already. */
  readonly isCenter: boolean
  readonly onChoose: (id: string) => void
  readonly onCenter: (id: string) => void
  readonly onOpen: (id: string) => void
}

const ORDER: readonly TieKind[] = ['link', 'triple', 'lineage', 'entity', 'meaning', 'key']

/** The chosen node, and all that it is tied to, whether the picture has it or not. */
export function NodeDetails({ node, ties, isCenter, onChoose, onCenter, onOpen }: DetailsProps) {
  const groups = useMemo(() => {
    const around = ties.data ? (neighboursOf(modelAround([ties.data])).get(node.id) ?? []) : []
    return ORDER.map((kind) => ({ kind, found: around.filter(({ tie }) => tie.kind === kind) })).filter(({ found }) => found.length > 0)
  }, [ties.data, node.id])
  const isEntity = entityOf(node.id) !== null
  return (
    <aside className="aside node-details" aria-label={say.label} data-pane tabIndex={-1}>
      <h2 className="h3">{isEntity ? say.entity : say.memory}</h2>
      <p className="node-name">
        <code>
          <bdi>{node.label}</bdi>
        </code>
        {node.status !== 'active' && (
          <span className={node.status === 'conflicted' ? 'badge warn' : 'badge'}>{STATUS_WORDS[node.status]}</span>
        )}
      </p>
      {node.text && (
        <p className="node-text" dir="auto">
          {node.text}
        </p>
      )}
      <div className="acts">
        {!isEntity && (
          <button type="button" className="btn sm" onClick={() => onOpen(node.id)}>
            {say.open} <kbd aria-hidden="true">Enter</kbd>
          </button>
        )}
        {!isCenter && (
          <button type="button" className="btn sm" onClick={() => onCenter(node.id)}>
            {say.center}
          </button>
        )}
      </div>
      {ties.isPending && <p className="q">{say.reading}</p>}
      {ties.isError && !ties.data && (
        <p className="problem" role="alert">
          {say.failed(ties.error.message)}
        </p>
      )}
      {ties.data && groups.length === 0 && <p className="q">{say.none}</p>}
      {groups.map(({ kind, found }) => (
        <section key={kind} aria-label={say.kinds[kind]}>
          <h3 className="h3">{say.kinds[kind]}</h3>
          <ul className="around">
            {found.map((neighbour) => (
              <NeighbourRow key={`${neighbour.node.id} ${neighbour.tie.words}`} {...neighbour} onChoose={onChoose} />
            ))}
          </ul>
        </section>
      ))}
    </aside>
  )
}

function NeighbourRow({ node, tie, onChoose }: Neighbour & { onChoose: (id: string) => void }) {
  return (
    <li>
      <button type="button" className="link" onClick={() => onChoose(node.id)}>
        <bdi>{node.label}</bdi>
      </button>
      {node.text && (
        <span className="said" dir="auto">
          {node.text}
        </span>
      )}
      <span className="by">
        <bdi>{tie.words}</bdi>
      </span>
    </li>
  )
}
