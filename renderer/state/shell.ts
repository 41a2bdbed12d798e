import { useEffect, useRef } from 'react'
import { LoomError } from '../../shared/contract/errors.ts'
import type { ShellAnswers, ShellCallName, ShellEvent } from '../../shared/contract/shell-calls.ts'

/** Whether the page is a window of the desktop's app, which has keys, a tray and folders of its own. */
export const hasShell = (): boolean => window.loom !== undefined

/**
 * Asks the app around the page. Only where `hasShell`.
 * @throws LoomError with the code of what went wrong
 */
export async function askShell<N extends ShellCallName>(name: N, input: object = {}): Promise<ShellAnswers[N]> {
  const reply = await window.loom?.call(name, input, {})
  if (!reply) throw new Error('There is no app around this page.')
  if (!reply.ok) throw new LoomError(reply.error.code, reply.error.message, reply.error)
  return reply.value as unknown as ShellAnswers[N]
}

/** Hears what the app around the page tells; nothing in a browser. */
export function useShellEvents(listener: (event: ShellEvent) => void): void {
  const latest = useRef(listener)
  useEffect(() => {
    latest.current = listener
  })
  useEffect(() => window.loom?.listen((event) => latest.current(event as unknown as ShellEvent)), [])
}
