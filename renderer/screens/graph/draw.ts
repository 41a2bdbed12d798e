import cytoscape from 'cytoscape'
import { STRONG_TIES, type GraphNode, type Tie } from './model.ts'
import type { Placed } from './nearest-node.ts'
import type { Palette } from './palette.ts'
import { drawUpon, type Upon } from './upon.ts'
import type { Arranged } from './use-layout.ts'

/** A graph that is drawn, and what one can do with it. */
export interface Drawing {
  /** Where a node stands on the canvas; null where it is not of the graph. */
  place(id: string): Placed | null
  neighbours(id: string): readonly string[]
  ids(): readonly string[]
  /** Marks a node, its ties and what they lead to, and brings it into sight. @param extra ties that are not of the picture */
  choose(id: string, extra: readonly Tie[]): void
  zoom(factor: number): void
  fit(): void
  close(): void
}

interface Heard {
  readonly onChoose: (id: string) => void
  readonly onOpen: (id: string) => void
}

const LEAST = 7
const MOST = 26
/** Room around a node in the picture, at its own size. Pixels. */
const ROOM = 46
const SMALLEST = 520
const PADDING = 48
const CLOSEST = 4
const FURTHEST = 0.02

/** Takes a layout of any size to one in which nodes have their room. */
function scaled({ places }: Arranged): Float32Array {
  let [least, most] = [0, 0]
  for (const at of places) [least, most] = [Math.min(least, at), Math.max(most, at)]
  const wanted = Math.max(SMALLEST, ROOM * Math.sqrt(places.length / 2))
  const by = most > least ? wanted / (most - least) : 1
  return places.map((at) => at * by)
}

const radius = (ties: number): number => Math.min(MOST, LEAST + 2 * Math.sqrt(ties)) / 2
const kindOf = (node: GraphNode): string => (node.kind === 'entity' ? 'entity' : node.status === 'conflicted' ? 'conflict' : 'memory')

function styleOf(palette: Palette): cytoscape.StylesheetJson {
  return [
    {
      selector: 'node',
      style: { width: 'data(size)', height: 'data(size)', 'background-color': palette.memory, 'overlay-opacity': 0, events: 'yes' },
    },
    { selector: 'node.entity', style: { shape: 'rectangle', 'background-color': palette.entity } },
    { selector: 'node.conflict', style: { 'background-color': palette.conflict } },
    {
      selector: 'edge',
      style: { width: 1.2, 'line-color': palette.tie, 'line-opacity': 0.55, 'curve-style': 'haystack', 'haystack-radius': 0, events: 'no' },
    },
    { selector: 'edge.strong', style: { width: 2, 'line-color': palette.memory, 'line-opacity': 1 } },
  ]
}

/** What the library would write into the page for want of an element of this name, and the content security policy refuse. */
const STYLE_ID = '__________cytoscape_stylesheet'

/** Our own style sheet gives the container its position: an empty element of that name says that nothing is missing. */
function withoutInlineStyle(): void {
  if (document.getElementById(STYLE_ID)) return
  const stands = document.createElement('meta')
  stands.id = STYLE_ID
  document.head.append(stands)
}

/** Draws a graph into an element. */
export function draw(arranged: Arranged, into: HTMLElement, palette: Palette, heard: () => Heard): Drawing {
  const { model, ids } = arranged
  const places = scaled(arranged)
  const at = new Map(ids.map((id, index) => [id, index]))
  const tied = new Map<string, string[]>()
  const tie = (one: string, other: string): void => {
    const known = tied.get(one)
    if (known) known.push(other)
    else tied.set(one, [other])
  }
  for (const { from, to } of model.ties) {
    tie(from, to)
    tie(to, from)
  }
  const radii = new Map(ids.map((id) => [id, radius(tied.get(id)?.length ?? 0)]))
  withoutInlineStyle()
  const picture = cytoscape({
    container: into,
    style: styleOf(palette),
    layout: { name: 'preset', fit: true, padding: PADDING },
    elements: [
      ...ids.flatMap((id, index) => {
        const node = model.nodes.get(id)
        const position = { x: places[index * 2] ?? 0, y: places[index * 2 + 1] ?? 0 }
        return node ? [{ data: { id, size: 2 * (radii.get(id) ?? LEAST) }, position, classes: kindOf(node) }] : []
      }),
      ...model.ties.map(({ from, to, kind }, index) => ({
        data: { id: `tie ${index}`, source: from, target: to },
        classes: STRONG_TIES.has(kind) ? 'strong' : '',
      })),
    ],
    // While one drags or zooms, a picture of the picture is moved: the machine need not have any graphics of its own.
    textureOnViewport: true,
    pixelRatio: 1,
    autoungrabify: true,
    autounselectify: true,
    boxSelectionEnabled: false,
    minZoom: FURTHEST,
    maxZoom: CLOSEST,
  })
  const place = (id: string): Placed | null => {
    const index = at.get(id)
    if (index === undefined) return null
    const [zoom, pan] = [picture.zoom(), picture.pan()]
    return { id, x: (places[index * 2] ?? 0) * zoom + pan.x, y: (places[index * 2 + 1] ?? 0) * zoom + pan.y }
  }
  const upon: Upon = drawUpon(into, palette, {
    model,
    place,
    radius: (id) => (radii.get(id) ?? LEAST) * picture.zoom(),
    order: ids.toSorted((a, b) => (radii.get(b) ?? 0) - (radii.get(a) ?? 0)),
  })
  picture.on('viewport resize', () => upon.draw())
  picture.on('tap', 'node', (event) => heard().onChoose((event.target as cytoscape.NodeSingular).id()))
  picture.on('dbltap', 'node', (event) => heard().onOpen((event.target as cytoscape.NodeSingular).id()))
  const observer = new ResizeObserver(() => {
    picture.resize()
    upon.draw()
  })
  observer.observe(into)
  const fit = (): void => {
    picture.fit(undefined, PADDING)
  }
  return {
    place,
    neighbours: (id) => tied.get(id) ?? [],
    ids: () => ids,
    choose(id, extra) {
      const ties = [...model.ties, ...extra].filter(({ from, to }) => from === id || to === id)
      const here = place(id)
      const [width, height] = [into.clientWidth, into.clientHeight]
      if (here && !(here.x > 0 && here.y > 0 && here.x < width && here.y < height))
        picture.panBy({ x: width / 2 - here.x, y: height / 2 - here.y })
      upon.choose(id, ties)
    },
    zoom: (factor) =>
      picture.zoom({ level: picture.zoom() * factor, renderedPosition: { x: into.clientWidth / 2, y: into.clientHeight / 2 } }),
    fit,
    close() {
      observer.disconnect()
      upon.close()
      picture.destroy()
    },
  }
}
