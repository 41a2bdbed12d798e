import { createContext, use, useCallback, useMemo, useRef, useState, type ReactNode } from 'react'

/** What just happened, and how to take it back. */
export interface Done {
  readonly said: string
  /** What the message is about: shown strong, isolated from the direction of the sentence. */
  readonly subject?: string
  /** @returns what to say once it is undone. Left out where there is nothing to take back. */
  readonly undo?: () => Promise<string>
  readonly failed?: boolean
}

interface Undo {
  readonly done: Done | null
  readonly busy: boolean
  say(done: Done): void
  /** Takes back a message that did not come true, unless another stands there already. */
  retract(done: Done): void
  undo(): void
  dismiss(): void
}

const UndoContext = createContext<Undo | null>(null)

/** The last action and its way back. It stays until another takes its place: nobody has to be quick. */
export function UndoProvider({ children }: { children: ReactNode }) {
  const [done, setDone] = useState<Done | null>(null)
  const [busy, setBusy] = useState(false)
  const running = useRef(false)
  const undo = useCallback(() => {
    const back = done?.undo
    if (!back || running.current) return
    running.current = true
    setBusy(true)
    // What was done meanwhile has its own way back, which must stay.
    const show = (next: Done): void => setDone((current) => (current === done ? next : current))
    back()
      .then((said) => show({ said }))
      .catch((error: unknown) => show({ said: error instanceof Error ? error.message : 'It could not be undone.', failed: true }))
      .finally(() => {
        running.current = false
        setBusy(false)
      })
  }, [done])
  const retract = useCallback((gone: Done) => setDone((current) => (current === gone ? null : current)), [])
  const value = useMemo<Undo>(
    () => ({ done, busy, say: setDone, retract, undo, dismiss: () => setDone(null) }),
    [done, busy, retract, undo],
  )
  return <UndoContext value={value}>{children}</UndoContext>
}

export function useUndo(): Undo {
  const undo = use(UndoContext)
  if (!undo) throw new Error('No undo: render inside UndoProvider.')
  return undo
}
