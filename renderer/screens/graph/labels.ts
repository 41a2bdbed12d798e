/** A name that wants to stand beside its node. Pixels, from the upper left corner of the canvas. */
export interface Wanted {
  readonly x: number
  readonly y: number
  readonly width: number
}

const CELL_WIDTH = 24
const CELL_HEIGHT = 8
/** Half of a line. */
const HALF = 8

/**
 * Which names can stand without one covering another, those that come first before the others.
 * @returns places in the list of those that were wanted.
 */
export function withoutOverlap(wanted: readonly Wanted[], most: number): number[] {
  const taken = new Set<string>()
  const shown: number[] = []
  for (const [at, { x, y, width }] of wanted.entries()) {
    if (shown.length >= most) break
    const cells: string[] = []
    for (let row = Math.floor((y - HALF) / CELL_HEIGHT); row <= Math.floor((y + HALF) / CELL_HEIGHT); row++)
      for (let column = Math.floor(x / CELL_WIDTH); column <= Math.floor((x + width) / CELL_WIDTH); column++) cells.push(`${column} ${row}`)
    if (cells.some((cell) => taken.has(cell))) continue
    for (const cell of cells) taken.add(cell)
    shown.push(at)
  }
  return shown
}
