import { withoutOverlap, type Wanted } from './labels.ts'
import type { Model, Tie } from './model.ts'
import type { Placed } from './nearest-node.ts'
import type { Palette } from './palette.ts'

/** The layer upon the picture: names, and what is chosen. Drawn anew at every step, while the picture itself is only moved. */
export interface Upon {
  choose(id: string, ties: readonly Tie[]): void
  draw(): void
  close(): void
}

interface Below {
  readonly model: Model
  readonly place: (id: string) => Placed | null
  /** As large as it is drawn. Pixels. */
  readonly radius: (id: string) => number
  /** The nodes, those to be named first before the others. */
  readonly order: readonly string[]
}

const GAP = 5
const RING = 3
const FONT = "12px 'Inter Variable', system-ui, sans-serif"
/** A canvas full of names says nothing; nobody reads more at once. */
const MOST_NAMES = 60
/** Letters of a key; what no font draws is left out. */
const LETTERS = 40

function drawable(label: string): string {
  const clean = label.replace(/[\p{Cc}\p{Cs}\p{Co}]/gu, '')
  return clean.length > LETTERS ? `${clean.slice(0, LETTERS - 1)}…` : clean
}

/** The library's own letters would be drawn with every node; these are drawn once, and as the browser writes any script. */
export function drawUpon(into: HTMLElement, palette: Palette, { model, place, radius, order }: Below): Upon {
  const canvas = document.createElement('canvas')
  canvas.className = 'graph-names'
  into.append(canvas)
  const pen = canvas.getContext('2d')
  const widths = new Map<string, number>()
  let chosen = ''
  let ties: readonly Tie[] = []
  let frame = 0

  const names = (width: number, height: number): (Wanted & { readonly label: string })[] => {
    const wanted: (Wanted & { readonly label: string })[] = []
    const first = new Set([chosen, ...ties.flatMap(({ from, to }) => [from, to])])
    for (const id of [...first, ...order]) {
      const at = place(id)
      const node = model.nodes.get(id)
      if (!pen || !at || !node || at.x < 0 || at.y < 0 || at.x > width || at.y > height) continue
      const label = drawable(node.label)
      const length = widths.get(label) ?? pen.measureText(label).width
      widths.set(label, length)
      const beside = radius(id) + GAP
      // At the right edge a name stands at the other side of its node.
      const x = at.x + beside + length > width && at.x - beside - length > 0 ? at.x - beside - length : at.x + beside
      wanted.push({ x, y: at.y, width: length, label })
      if (wanted.length >= MOST_NAMES * 4) break
    }
    return wanted
  }

  const draw = (): void => {
    frame = 0
    if (!pen) return
    const [width, height] = [into.clientWidth, into.clientHeight]
    const scale = devicePixelRatio
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)]
    if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high]
    pen.setTransform(scale, 0, 0, scale, 0, 0)
    pen.clearRect(0, 0, width, height)
    pen.strokeStyle = palette.chosen
    pen.lineWidth = 1.5
    pen.beginPath()
    for (const { from, to } of ties) {
      const [one, other] = [place(from), place(to)]
      if (!one || !other) continue
      const far = Math.hypot(other.x - one.x, other.y - one.y) || 1
      const [x, y] = [(other.x - one.x) / far, (other.y - one.y) / far]
      pen.moveTo(one.x + x * radius(from), one.y + y * radius(from))
      pen.lineTo(other.x - x * radius(to), other.y - y * radius(to))
    }
    pen.stroke()
    const here = place(chosen)
    if (here) {
      pen.fillStyle = palette.chosen
      pen.beginPath()
      pen.arc(here.x, here.y, radius(chosen) + RING, 0, 2 * Math.PI)
      pen.fill()
    }
    pen.font = FONT
    pen.textBaseline = 'middle'
    pen.direction = 'ltr'
    pen.lineJoin = 'round'
    pen.lineWidth = 3
    pen.strokeStyle = palette.paper
    pen.fillStyle = palette.ink
    const wanted = names(width, height)
    for (const index of withoutOverlap(wanted, MOST_NAMES)) {
      const name = wanted[index]
      if (!name) continue
      pen.strokeText(name.label, name.x, name.y)
      pen.fillText(name.label, name.x, name.y)
    }
  }
  const soon = (): void => {
    frame ||= requestAnimationFrame(draw)
  }
  return {
    choose(id, of) {
      chosen = id
      ties = of
      soon()
    },
    draw: soon,
    close() {
      cancelAnimationFrame(frame)
      canvas.remove()
    },
  }
}
