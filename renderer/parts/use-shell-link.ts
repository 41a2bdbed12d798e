import { useEffect } from 'react'
import { useEngineInfo } from '../data/queries.ts'
import { useSync } from '../data/sync.ts'
import { locale, useNow } from '../state/locale.ts'
import { askShell, hasShell, useShellEvents } from '../state/shell.ts'
import { syncStanding } from '../text/sync-words.ts'
import { NAVIGATION as say } from './strings.ts'

/** The window goes where the app around it says. */
export function useShellRoute(): void {
  useShellEvents((event) => {
    if (event.type === 'shell.go') window.location.hash = event.route
  })
}

/** Tells the app around the page how Loom stands, for its tray: in the words of the foot of the window. */
export function useShellStanding(): void {
  const info = useEngineInfo()
  const { data: status } = useSync()
  const now = useNow()
  const standing = status ? syncStanding(status, now, locale) : null
  const held = info.data ? say.held(info.data.counts.memories) : ''
  const words = info.error ? say.noAnswer : (standing?.foot[0] ?? held)
  useEffect(() => {
    if (hasShell() && words !== '') void askShell('shell.standing', { words }).catch(() => {})
  }, [words])
}
