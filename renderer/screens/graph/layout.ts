import { MultiUndirectedGraph } from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'

/** What a layout is made of: ends of ties as places in the list of nodes. */
export interface LayoutTask {
  readonly nodes: number
  readonly from: Uint32Array
  readonly to: Uint32Array
}

/** x and y of each node, one after the other. */
export type Positions = Float32Array

const GOLDEN = Math.PI * (3 - Math.sqrt(5))
/** With more nodes than this the far ones are taken together. */
const FEW = 500
const TURNS_OF_FEW = 240
const TURNS_OF_MANY = 120

/** Where nodes begin: on a spiral, the first in its middle. The same task always comes to the same picture. */
export function spiral(nodes: number): Positions {
  const places = new Float32Array(nodes * 2)
  for (let at = 0; at < nodes; at++) {
    const [radius, angle] = [10 * Math.sqrt(at), at * GOLDEN]
    places[at * 2] = radius * Math.cos(angle)
    places[at * 2 + 1] = radius * Math.sin(angle)
  }
  return places
}

/** Places tied nodes near each other and the others apart. Takes a second or two for thousands: run it beside the window. */
export function arrange({ nodes, from, to }: LayoutTask): Positions {
  const places = spiral(nodes)
  if (nodes < 2) return places
  const graph = new MultiUndirectedGraph()
  for (let at = 0; at < nodes; at++) graph.addNode(at, { x: places[at * 2], y: places[at * 2 + 1] })
  for (let at = 0; at < from.length; at++) graph.addEdge(from[at], to[at])
  const many = nodes > FEW
  const settings = { ...forceAtlas2.inferSettings(graph), barnesHutOptimize: many }
  const placed = forceAtlas2(graph, { iterations: many ? TURNS_OF_MANY : TURNS_OF_FEW, settings })
  for (let at = 0; at < nodes; at++) {
    const place = placed[String(at)]
    places[at * 2] = place?.x ?? 0
    places[at * 2 + 1] = place?.y ?? 0
  }
  return places
}
