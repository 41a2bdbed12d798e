import type { RefObject } from 'react'
import type { CanvasHandle } from './canvas.tsx'
import { GRAPH as say } from './strings.ts'

/** Below the canvas: what its shapes mean, and how near one stands. */
export function CanvasBar({ canvas }: { canvas: RefObject<CanvasHandle | null> }) {
  return (
    <div className="graph-bar">
      <ul className="graph-legend">
        <li>
          <i className="dot-memory" aria-hidden="true" />
          {say.legend.memory}
        </li>
        <li>
          <i className="dot-entity" aria-hidden="true" />
          {say.legend.entity}
        </li>
        <li>
          <i className="dot-conflict" aria-hidden="true" />
          {say.legend.conflict}
        </li>
      </ul>
      <span className="acts">
        <button type="button" className="btn sm" onClick={() => canvas.current?.zoom(true)}>
          {say.closer} <kbd aria-hidden="true">+</kbd>
        </button>
        <button type="button" className="btn sm" onClick={() => canvas.current?.zoom(false)}>
          {say.further} <kbd aria-hidden="true">−</kbd>
        </button>
        <button type="button" className="btn sm" onClick={() => canvas.current?.fit()}>
          {say.fit} <kbd aria-hidden="true">0</kbd>
        </button>
      </span>
    </div>
  )
}
