import type { NamespaceRow } from '../../data/namespaces.ts'
import { ZERO as say } from './strings.ts'

interface ZeroProps {
  readonly settled: number
  readonly namespace: string
  readonly namespaces: readonly NamespaceRow[]
  readonly onNamespace: (namespace: string) => void
  readonly onMemories: () => void
}

const MOST_OTHERS = 3

/** Nothing waits: what was done, what brings new ones, and where to go on. */
export function Zero({ settled, namespace, namespaces, onNamespace, onMemories }: ZeroProps) {
  const others = namespaces.filter((row) => row.namespace !== namespace && row.open_conflicts > 0).slice(0, MOST_OTHERS)
  return (
    <div className="empty">
      <h2>{say.title}</h2>
      <p>
        {say.settled(settled)}
        {say.next}
      </p>
      <div className="acts">
        {others.map((row) => (
          <button key={row.namespace} type="button" className="btn" onClick={() => onNamespace(row.namespace)}>
            <bdi>{say.elsewhere(row.open_conflicts, row.namespace)}</bdi>
          </button>
        ))}
        <button type="button" className="btn" onClick={onMemories}>
          {say.memories}
        </button>
      </div>
    </div>
  )
}
