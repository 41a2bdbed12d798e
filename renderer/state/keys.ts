import { useLayoutEffect, useRef } from 'react'
import { usePreferences } from './preferences.ts'

/** Commands by key, as `event.key` names it; `mod+z` is Ctrl, or Cmd on a Mac. A handler that returns false lets the key through. */
export type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void | false>>

export const IS_MAC = /Mac|iPhone|iPad/.test(navigator.userAgent)
/** Name of the main modifier on this keyboard. */
export const MOD = IS_MAC ? 'Cmd' : 'Ctrl'
export const ALT = IS_MAC ? 'Option' : 'Alt'

export const hasMod = (event: { ctrlKey: boolean; metaKey: boolean }): boolean => (IS_MAC ? event.metaKey : event.ctrlKey)

function typesText(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  if (target.isContentEditable || target.tagName === 'TEXTAREA' || target.tagName === 'SELECT') return true
  return target.tagName === 'INPUT' && !['checkbox', 'radio', 'button', 'range'].includes((target as HTMLInputElement).type)
}

function nameOf(event: KeyboardEvent): string {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
  if (hasMod(event)) return `mod+${key}`
  if (event.altKey) return `alt+${key}`
  return key
}

/**
 * Keys of the whole window. They rest while a text field has the focus (but for F6, Escape and the screens' numbers), while a dialogue or
 * menu is open, and, the single letters, where the person turned them off.
 */
export function useWindowKeys(map: KeyMap): void {
  const { letterKeys } = usePreferences()
  const latest = useRef(map)
  // Before the screen is drawn: a key that is pressed as soon as something is seen is meant for what is seen.
  useLayoutEffect(() => {
    latest.current = map
  })
  useLayoutEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.isComposing) return
      const name = nameOf(event)
      const handler = latest.current[name]
      if (!handler) return
      if (document.querySelector('[role="dialog"], [role="menu"]')) return
      const everywhere = name === 'F6' || name === 'Escape' || /^mod\+\d$/.test(name)
      if (!everywhere && typesText(event.target)) return
      if (!letterKeys && name.length === 1) return
      if (handler(event) !== false) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [letterKeys])
}
