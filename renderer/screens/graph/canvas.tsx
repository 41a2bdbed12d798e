import { useEffect, useImperativeHandle, useRef, type Ref } from 'react'
import { draw, type Drawing } from './draw.ts'
import type { Tie } from './model.ts'
import { nearestIn, type Direction } from './nearest-node.ts'
import type { Palette } from './palette.ts'
import { GRAPH as say } from './strings.ts'
import type { Arranged } from './use-layout.ts'

export interface CanvasHandle {
  /** The neighbour that is nearest in a direction; where no neighbour is that way, the nearest node. */
  nearest(direction: Direction): string | null
  zoom(closer: boolean): void
  fit(): void
  focus(): void
}

interface CanvasProps {
  readonly arranged: Arranged
  readonly palette: Palette
  readonly chosen: string
  /** Ties that were learnt of after the picture was arranged. */
  readonly extra: readonly Tie[]
  readonly onChoose: (id: string) => void
  readonly onOpen: (id: string) => void
  readonly ref: Ref<CanvasHandle>
}

const CLOSER = 1.5

/** The graph drawn. All that it shows stands in the list beside it as well. */
export function GraphCanvas({ arranged, palette, chosen, extra, onChoose, onOpen, ref }: CanvasProps) {
  const box = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing | null>(null)
  const act = useRef({ onChoose, onOpen })
  /** What the next drawing begins with. */
  const first = useRef({ chosen, extra })
  useEffect(() => {
    act.current = { onChoose, onOpen }
  })
  useEffect(() => {
    const into = box.current
    if (!into) return undefined
    const made = draw(arranged, into, palette, () => act.current)
    drawing.current = made
    made.choose(first.current.chosen, first.current.extra)
    return () => {
      drawing.current = null
      made.close()
    }
  }, [arranged, palette])
  useEffect(() => {
    first.current = { chosen, extra }
    drawing.current?.choose(chosen, extra)
  }, [chosen, extra])

  useImperativeHandle(ref, () => ({
    nearest: (direction) => (drawing.current ? nearestOf(drawing.current, chosen, direction) : null),
    zoom: (closer) => drawing.current?.zoom(closer ? CLOSER : 1 / CLOSER),
    fit: () => drawing.current?.fit(),
    focus: () => box.current?.focus(),
  }))
  return (
    <div
      ref={box}
      className="graph-canvas"
      role="application"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- moved through by keys, as its description says
      tabIndex={0}
      aria-label={say.canvas}
      aria-describedby="graph-keys"
      data-pane
    />
  )
}

function nearestOf(drawing: Drawing, from: string, direction: Direction): string | null {
  const here = drawing.place(from)
  if (!here) return null
  const among = (ids: readonly string[]): string | null =>
    nearestIn(
      here,
      ids.flatMap((id) => drawing.place(id) ?? []),
      direction,
    )
  return among(drawing.neighbours(from)) ?? among(drawing.ids().filter((id) => id !== from))
}
