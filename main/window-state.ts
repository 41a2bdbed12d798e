import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Bounds = z.object({ x: z.int(), y: z.int(), width: z.int().min(1), height: z.int().min(1) })
const Theme = z.enum(['system', 'light', 'dark']).catch('system')
const State = z.object({
  bounds: Bounds.nullable().catch(null),
  maximized: z.boolean().catch(false),
  theme: Theme,
})

export type Bounds = z.infer<typeof Bounds>
/** What the window looks like when it opens again. `bounds` null: never opened before. */
export type WindowState = z.infer<typeof State>

/** A theme as the page names it; nothing, or another word, is the system's. */
export function toTheme(named: unknown): WindowState['theme'] {
  return Theme.parse(named)
}

const fileOf = (home: string): string => join(home, 'window.json')

/** The remembered state; what is missing or broken is as at the first start. */
export function readWindowState(home: string): WindowState {
  try {
    return State.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')))
  } catch {
    return { bounds: null, maximized: false, theme: 'system' }
  }
}

/** Written at once, since it is called while the app quits. */
export function writeWindowState(home: string, state: WindowState): void {
  const draft = `${fileOf(home)}.new`
  writeFileSync(draft, JSON.stringify(state), { mode: 0o600 })
  renameSync(draft, fileOf(home))
}

/** The bounds if enough of the window would be seen on one of the screens, which may have changed since; else null. */
export function visibleBounds(bounds: Bounds | null, screens: readonly Bounds[]): Bounds | null {
  if (!bounds) return null
  const seen = screens.some((screen) => {
    const width = Math.min(bounds.x + bounds.width, screen.x + screen.width) - Math.max(bounds.x, screen.x)
    const height = Math.min(bounds.y + bounds.height, screen.y + screen.height) - Math.max(bounds.y, screen.y)
    return width >= 100 && height >= 100
  })
  return seen ? bounds : null
}
