import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'
export type Direction = 'ltr' | 'rtl'

/** What a person chose about this window. Kept by the browser or the desktop's profile, not by the engine. */
export interface Preferences {
  readonly theme: Theme
  readonly direction: Direction
  /** Single letters as commands; off for people whose input method or voice control types them by itself. */
  readonly letterKeys: boolean
  readonly namespace: string
  /** The steps of a first start were shown in this window. */
  readonly firstRun: '' | 'seen'
}

const NAME = 'loom.preferences'
const DEFAULTS: Preferences = { theme: 'system', direction: 'ltr', letterKeys: true, namespace: '', firstRun: '' }

function read(): Preferences {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME) ?? '{}') as Partial<Preferences>
    return {
      theme: kept.theme === 'light' || kept.theme === 'dark' ? kept.theme : DEFAULTS.theme,
      direction: kept.direction === 'rtl' ? 'rtl' : 'ltr',
      letterKeys: kept.letterKeys !== false,
      namespace: typeof kept.namespace === 'string' ? kept.namespace : '',
      firstRun: kept.firstRun === 'seen' ? 'seen' : '',
    }
  } catch {
    return DEFAULTS
  }
}

let current = read()
const listeners = new Set<() => void>()

/** Puts theme and direction on the document; called once before the first paint, then on every change. */
export function applyPreferences(): void {
  const root = document.documentElement
  if (current.theme === 'system') delete root.dataset['theme']
  else root.dataset['theme'] = current.theme
  root.dir = current.direction
}

export function setPreference<K extends keyof Preferences>(name: K, value: Preferences[K]): void {
  if (current[name] === value) return
  current = { ...current, [name]: value }
  try {
    localStorage.setItem(NAME, JSON.stringify(current))
  } catch {
    // Storage may be full or forbidden; the choice then holds for this window.
  }
  applyPreferences()
  for (const listener of listeners) listener()
}

// Another window of this Loom was set otherwise.
window.addEventListener('storage', ({ key }) => {
  if (key !== NAME) return
  current = read()
  applyPreferences()
  for (const listener of listeners) listener()
})

export const preferencesNow = (): Preferences => current

export function usePreferences(): Preferences {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => current,
  )
}
