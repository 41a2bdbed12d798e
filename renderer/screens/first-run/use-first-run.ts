import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { forgetItems, useHasItems } from '../../data/items.ts'
import { useEngineInfo } from '../../data/queries.ts'
import { useMaySync } from '../../data/sync.ts'
import { setPreference, usePreferences } from '../../state/preferences.ts'
import type { Route } from '../../state/route.ts'

export type FirstRun = 'unknown' | 'shown' | 'over'

/**
 * Whether the three steps of a first start stand in the window's place: once, for the person of the install, while
 * nothing was ever stored. An address that names a place goes there.
 */
export function useFirstRun(route: Route, namespace: string): { readonly state: FirstRun; readonly end: () => void } {
  const { firstRun } = usePreferences()
  const { data: info, isError } = useEngineInfo()
  const may = useMaySync()
  const isElsewhere = route.id !== '' || route.screen !== 'memories'
  const [state, setState] = useState<FirstRun>(firstRun === 'seen' || isElsewhere ? 'over' : 'unknown')
  const cache = useQueryClient()
  const hasItems = useHasItems(namespace, state === 'unknown')
  // The tray, a notice or a key of the window leads past it.
  if (state === 'shown' && isElsewhere) setState('over')
  // The window says by itself that nothing answers.
  if (state === 'unknown' && (isError || hasItems)) setState('over')
  else if (state === 'unknown' && info && may !== null) {
    const isEmpty = info.counts.versions === 0 && info.counts.documents === 0 && info.counts.records === 0
    const isShown = may && info.mode === 'single' && isEmpty
    setState(isShown ? 'shown' : 'over')
  }
  // Seen is seen: whoever leaves it half-way finds every step again in its own place. And where something was stored it is
  // past: the next start need not ask before it shows the window.
  const isPast = state === 'shown' || (info !== undefined && (info.counts.versions > 0 || info.counts.documents > 0))
  useEffect(() => {
    if (isPast) setPreference('firstRun', 'seen')
  }, [isPast])
  // The steps may bring memories in; the empty list of before is not to be shown after them.
  useEffect(() => {
    if (state === 'shown') forgetItems(cache)
  }, [state, cache])
  return { state, end: () => setState('over') }
}
