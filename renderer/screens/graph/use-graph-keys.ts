import type { RefObject } from 'react'
import type { ScreenProps } from '../../parts/sections-screen.tsx'
import { useWindowKeys } from '../../state/keys.ts'
import { focusNextPane } from '../../state/panes.ts'
import { useUndo } from '../../state/undo.tsx'
import type { CanvasHandle } from './canvas.tsx'
import type { GraphNode } from './model.ts'
import type { Direction } from './nearest-node.ts'
import type { RowsHandle } from '../../parts/fixed-rows.tsx'

interface KeysInput extends Pick<ScreenProps, 'onWrite' | 'onKeys'> {
  readonly nodes: readonly GraphNode[]
  readonly chosen: string
  readonly canvas: RefObject<CanvasHandle | null>
  readonly list: RefObject<RowsHandle | null>
  readonly search: RefObject<HTMLInputElement | null>
  readonly choose: (id: string) => void
  readonly open: (id: string) => void
  readonly back: () => void
}

/** The graph by keys: in the list up and down, else to the neighbour that is nearest. */
export function useGraphKeys({ nodes, chosen, canvas, list, search, choose, open, back, onWrite, onKeys }: KeysInput): void {
  const { undo } = useUndo()
  const move = (by: number): void => {
    const at = nodes.findIndex(({ id }) => id === chosen)
    const index = Math.min(Math.max(at + by, 0), nodes.length - 1)
    const next = nodes[index]
    if (!next) return
    choose(next.id)
    list.current?.show(index)
  }
  const go = (direction: Direction, inList: number) => (): void | false => {
    if (inList !== 0 && list.current?.hasFocus()) return move(inList)
    if (document.activeElement?.closest('.node-details')) return false
    const next = canvas.current?.nearest(direction)
    if (!next) return undefined
    choose(next)
    const index = nodes.findIndex(({ id }) => id === next)
    if (index >= 0) list.current?.show(index)
    return undefined
  }
  const openChosen = (): void | false => {
    const at = document.activeElement?.tagName
    if (at === 'BUTTON' || at === 'A' || chosen === '') return false
    open(chosen)
    return undefined
  }
  const page = (): number => list.current?.pageSize() ?? 1
  useWindowKeys({
    ArrowUp: go('up', -1),
    ArrowDown: go('down', 1),
    ArrowLeft: go('left', 0),
    ArrowRight: go('right', 0),
    j: () => move(1),
    k: () => move(-1),
    Home: () => (list.current?.hasFocus() ? move(Number.NEGATIVE_INFINITY) : false),
    End: () => (list.current?.hasFocus() ? move(Number.POSITIVE_INFINITY) : false),
    PageDown: () => (list.current?.hasFocus() ? move(page()) : false),
    PageUp: () => (list.current?.hasFocus() ? move(-page()) : false),
    '+': () => canvas.current?.zoom(true),
    '=': () => canvas.current?.zoom(true),
    '-': () => canvas.current?.zoom(false),
    '0': () => canvas.current?.fit(),
    Enter: openChosen,
    o: openChosen,
    '/': () => search.current?.focus(),
    n: onWrite,
    u: undo,
    'mod+z': undo,
    '?': onKeys,
    F6: focusNextPane,
    Escape: back,
  })
}
