import { useSyncExternalStore } from 'react'

/** The person's language, for dates and digits. */
export const locale = Intl.DateTimeFormat().resolvedOptions().locale

let now = new Date()
const listeners = new Set<() => void>()
const TICK_MS = 30_000
let timer: ReturnType<typeof setInterval> | null = null

function tick(): void {
  now = new Date()
  for (const listener of listeners) listener()
}

/** The time, minute by minute: "12 min" must not stay when it is 13. One clock for all rows. */
export function useNow(): Date {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      timer ??= setInterval(tick, TICK_MS)
      return () => listeners.delete(listener)
    },
    () => now,
  )
}
