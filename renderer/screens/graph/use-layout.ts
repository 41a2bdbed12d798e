import { useEffect, useMemo, useState } from 'react'
import type { Positions } from './layout.ts'
import type { Model } from './model.ts'

/** A model with a place for each of its nodes. */
export interface Arranged {
  readonly model: Model
  /** Ids of the nodes, in the order of the places. */
  readonly ids: readonly string[]
  readonly places: Positions
}

/** Arranges a model in a worker. Null until that is done for the first time; then the last picture stays until the next is there. */
export function useLayout(model: Model | null): Arranged | null {
  const [done, setDone] = useState<Arranged | null>(null)
  const ids = useMemo(() => (model ? [...model.nodes.keys()] : []), [model])
  useEffect(() => {
    if (!model) return undefined
    const at = new Map(ids.map((id, index) => [id, index]))
    const from = Uint32Array.from(model.ties, (tie) => at.get(tie.from) ?? 0)
    const to = Uint32Array.from(model.ties, (tie) => at.get(tie.to) ?? 0)
    const worker = new Worker(new URL('./layout-worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<Positions>) => {
      setDone({ model, ids, places: data })
      worker.terminate()
    })
    worker.postMessage({ nodes: ids.length, from, to })
    return () => worker.terminate()
  }, [model, ids])
  return model ? done : null
}
