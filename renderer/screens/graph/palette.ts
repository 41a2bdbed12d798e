import { useMemo } from 'react'
import { useMedia } from '../../state/media.ts'
import { usePreferences } from '../../state/preferences.ts'

/** Colours of the canvas, which knows no style sheet. */
export interface Palette {
  readonly ink: string
  readonly memory: string
  readonly entity: string
  readonly conflict: string
  readonly chosen: string
  readonly tie: string
  readonly paper: string
}

const TOKENS: Readonly<Record<keyof Palette, string>> = {
  ink: '--ink',
  memory: '--ink3',
  entity: '--edge',
  conflict: '--warn',
  chosen: '--accent',
  tie: '--edge',
  paper: '--paper',
}

/** What the tokens come to in the theme that is shown. */
function read(): Palette {
  const probe = document.createElement('i')
  document.body.append(probe)
  const entries = Object.entries(TOKENS).map(([name, token]) => {
    probe.style.color = `var(${token})`
    return [name, getComputedStyle(probe).color]
  })
  probe.remove()
  return Object.fromEntries(entries) as Palette
}

export function usePalette(): Palette {
  const { theme } = usePreferences()
  const dark = useMedia('(prefers-color-scheme: dark)')
  // Read anew when the theme is another one.
  return useMemo(() => ({ ...read(), theme, dark }), [theme, dark])
}
