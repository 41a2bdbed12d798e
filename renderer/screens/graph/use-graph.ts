import { useQueryClient } from '@tanstack/react-query'
import { useMemo } from 'react'
import { entityOf, useFurtherTies, useNewest, useTies, useWhole } from '../../data/graph.ts'
import { modelAround, modelOfRows, type Model } from './model.ts'

export interface GraphData {
  /** The node that the graph is around; "" where none is known yet, or there is none. */
  readonly center: string
  /** Null until it is read. */
  readonly model: Model | null
  /** There is no memory at all. */
  readonly empty: boolean
  /** The one that was asked for is not there. */
  readonly gone: boolean
  /** Memories that are shown, where there are more of them; else 0. */
  readonly cutTo: number
  readonly error: Error | null
  retry(): void
}

/** Neighbours that are looked around as well: enough to see where one stands, few enough to be there at once. */
const FURTHER = 12
const STATED = new Set(['link', 'triple', 'entity'])
const NOTHING: readonly string[] = []

/** What the graph is made of: what is around one node, or a whole namespace. */
export function useGraph(namespace: string, asked: string, wholeWanted: boolean): GraphData {
  const cache = useQueryClient()
  const newest = useNewest(namespace, asked === '')
  const center = asked || (newest.data ?? '')
  const around = useTies(namespace, wholeWanted ? '' : center)
  const whole = useWhole(namespace, wholeWanted)
  const next = useMemo(
    () =>
      around.data && entityOf(around.data.node) === null
        ? around.data.rows
            .filter(({ via }) => STATED.has(via))
            .slice(0, FURTHER)
            .map((row) => row.memory_id)
        : NOTHING,
    [around.data],
  )
  const further = useFurtherTies(namespace, next)
  const model = useMemo(() => {
    if (wholeWanted) return whole.data ? modelOfRows(whole.data.rows) : null
    if (!around.data?.found || (next.length > 0 && further.length === 0)) return null
    return modelAround([around.data, ...further])
  }, [wholeWanted, whole.data, around.data, next, further])
  const shown = wholeWanted ? whole : around
  return {
    center,
    model,
    empty: wholeWanted ? whole.data?.rows.length === 0 : asked === '' && newest.data === '',
    gone: !wholeWanted && around.data?.found === false,
    cutTo: wholeWanted && whole.data?.cut ? whole.data.rows.length : 0,
    error: shown.error ?? newest.error,
    retry: () => void cache.invalidateQueries({ queryKey: ['graph'] }),
  }
}
