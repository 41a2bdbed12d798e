export type Direction = 'up' | 'down' | 'left' | 'right'

export interface Placed {
  readonly id: string
  /** On the screen: y grows downwards. */
  readonly x: number
  readonly y: number
}

const AHEAD: Readonly<Record<Direction, readonly [x: number, y: number]>> = {
  up: [0, -1],
  down: [0, 1],
  left: [-1, 0],
  right: [1, 0],
}
/** How much further a node seems for being to the side. */
const ASIDE = 2

/** The nearest of some nodes in a direction: one that is more ahead than aside. Null where there is none. */
export function nearestIn(from: { readonly x: number; readonly y: number }, nodes: Iterable<Placed>, direction: Direction): string | null {
  const [x, y] = AHEAD[direction]
  let best: string | null = null
  let least = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    const [dx, dy] = [node.x - from.x, node.y - from.y]
    const ahead = dx * x + dy * y
    const aside = Math.abs(dx * y) + Math.abs(dy * x)
    if (ahead <= 0 || aside > ahead) continue
    const far = ahead + ASIDE * aside
    if (far < least) [best, least] = [node.id, far]
  }
  return best
}
