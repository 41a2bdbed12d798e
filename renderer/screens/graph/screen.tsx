import { useEffect, useMemo, useRef, useState } from 'react'
import { entityOf, useTies } from '../../data/graph.ts'
import { useLiveUpdates, useRecovery } from '../../data/live.ts'
import { BackBar, TopBar } from '../../parts/narrow-bars.tsx'
import { Unread } from '../../parts/notes.tsx'
import type { ScreenProps } from '../../parts/sections-screen.tsx'
import { UndoBar } from '../../parts/undo-bar.tsx'
import { ONE_PANE, useMedia } from '../../state/media.ts'
import { useRoute } from '../../state/route.ts'
import { GraphCanvas, type CanvasHandle } from './canvas.tsx'
import { CanvasBar } from './canvas-bar.tsx'
import { ListPane } from './list-pane.tsx'
import { neighboursOf, withTies, type Tie } from './model.ts'
import { NodeDetails } from './node-details.tsx'
import type { RowsHandle } from '../../parts/fixed-rows.tsx'
import { usePalette } from './palette.ts'
import { GRAPH as say } from './strings.ts'
import { useGraph } from './use-graph.ts'
import { useGraphKeys } from './use-graph-keys.ts'
import { useLayout } from './use-layout.ts'

const NO_TIES: readonly Tie[] = []
const NO_NODES = new Map<string, never>()

/** Memories, entities and what ties them, around one of them or in a whole namespace. */
export function GraphScreen(props: ScreenProps) {
  const { namespace, onWrite, onMenu } = props
  const onePane = useMedia(ONE_PANE)
  const [route, navigate] = useRoute()
  const [whole, setWhole] = useState(false)
  const [typed, setTyped] = useState('')
  const [picked, setPicked] = useState({ center: '', id: '' })
  const graph = useGraph(namespace, route.id, whole)
  const arranged = useLayout(graph.model)
  const model = arranged?.model ?? null
  const palette = usePalette()
  const canvas = useRef<CanvasHandle>(null)
  const list = useRef<RowsHandle>(null)
  const search = useRef<HTMLInputElement>(null)
  useRecovery()
  const live = useLiveUpdates(() => false)
  const reading = onePane && route.id !== ''

  const neighbours = useMemo(() => (model ? neighboursOf(model) : new Map()), [model])
  const tiesOf = (id: string): number => neighbours.get(id)?.length ?? 0
  const nodes = useMemo(() => {
    const part = typed.trim().toLowerCase()
    const all = [...(model?.nodes.values() ?? [])]
    const found =
      part === '' ? all : all.filter(({ label, text }) => label.toLowerCase().includes(part) || text.toLowerCase().includes(part))
    const tied = (id: string): number => (id === graph.center ? Number.POSITIVE_INFINITY : (neighbours.get(id)?.length ?? 0))
    return found.toSorted((a, b) => tied(b.id) - tied(a.id) || a.label.localeCompare(b.label))
  }, [model, typed, neighbours, graph.center])
  const held = model?.nodes ?? NO_NODES
  const stays = picked.center === graph.center && held.has(picked.id)
  const chosen = stays ? picked.id : held.has(graph.center) ? graph.center : (nodes[0]?.id ?? '')
  const node = held.get(chosen) ?? null
  const ties = useTies(namespace, chosen)
  const extra = useMemo(
    () => (model && ties.data?.node === chosen ? withTies(model, ties.data).ties.slice(model.ties.length) : NO_TIES),
    [model, ties.data, chosen],
  )

  const lookAround = (id: string): void => {
    setWhole(false)
    navigate({ screen: 'graph', namespace, id })
  }
  const choose = (id: string): void => {
    if (!held.has(id) || onePane) lookAround(id)
    else setPicked({ center: graph.center, id })
  }
  const open = (id: string): void => (entityOf(id) === null ? navigate({ namespace, id }) : lookAround(id))
  const back = (): void => {
    if (reading) navigate({ screen: 'graph', namespace })
    else if (typed !== '') setTyped('')
    list.current?.focus()
  }
  useGraphKeys({ ...props, nodes, chosen, canvas, list, search, choose, open, back })
  useEffect(() => {
    document.title = `${say.title} · Loom`
  }, [])

  const waits = model === null || arranged?.model !== graph.model
  return (
    <>
      {onePane && !reading && (
        <TopBar onMenu={onMenu} onWrite={onWrite}>
          <h1 className="screen-name">{say.title}</h1>
        </TopBar>
      )}
      {reading && <BackBar label={say.back} onBack={back} />}
      <ListPane
        {...{ graph, nodes, chosen, whole, typed, search, list, reading, tiesOf, onWrite }}
        named={onePane}
        total={model ? { nodes: model.nodes.size, ties: model.ties.length } : null}
        waits={waits}
        stale={live.waiting}
        onTyped={setTyped}
        onWhole={setWhole}
        onChoose={choose}
        onNewest={() => navigate({ screen: 'graph', namespace }, { replace: true })}
        onRead={() => {
          live.show()
          graph.retry()
        }}
      />
      <main className="reader-pane">
        {(!onePane || reading) && (
          <div className="graph-body">
            <div className="graph-part">
              {reading && <h1 className="sr">{say.title}</h1>}
              {graph.error && model && <Unread text={say.stopped} onRetry={graph.retry} />}
              <p id="graph-keys" className="sr">
                {say.keys}
              </p>
              <p className="sr" role="status">
                {node && say.chosen(node.label, tiesOf(chosen))}
              </p>
              {arranged ? (
                <GraphCanvas ref={canvas} {...{ arranged, palette, chosen, extra }} onChoose={choose} onOpen={open} />
              ) : (
                <div className="graph-canvas" aria-busy="true" />
              )}
              {graph.model && waits && <p className="graph-note q">{say.arranging(graph.model.nodes.size)}</p>}
              {model?.nodes.size === 1 && !waits && <p className="graph-note q">{say.alone}</p>}
              <CanvasBar canvas={canvas} />
            </div>
            {node && (
              <NodeDetails
                {...{ node, ties }}
                isCenter={!whole && chosen === graph.center}
                onChoose={choose}
                onCenter={lookAround}
                onOpen={open}
              />
            )}
          </div>
        )}
        <UndoBar />
      </main>
    </>
  )
}
