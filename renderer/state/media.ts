import { useSyncExternalStore } from 'react'

/** Widths at which the window changes its shape; the style sheets have the same. */
export const ONE_PANE = '(max-width: 899px)'
export const SMALL = '(max-width: 559px)'

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query)
      list.addEventListener('change', listener)
      return () => list.removeEventListener('change', listener)
    },
    () => matchMedia(query).matches,
  )
}
