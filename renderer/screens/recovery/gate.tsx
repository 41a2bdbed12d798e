import { useEffect, useState, type ReactNode } from 'react'
import type { RecoveryView } from '../../../shared/contract/recovery.ts'
import { askShell, useShellEvents } from '../../state/shell.ts'
import { RecoveryScreen } from './screen.tsx'

/** The window, or in its place the ways on while the database cannot be opened. Only for a page that has a shell. */
export function RecoveryGate({ children }: { children: ReactNode }) {
  const [view, setView] = useState<RecoveryView | null>(null)
  const look = (): void =>
    void askShell('shell.state').then(
      (state) => setView(state.recovery),
      () => {},
    )
  useEffect(look, [])
  useShellEvents((event) => {
    if (event.type === 'shell.state') look()
  })
  return view === null ? children : <RecoveryScreen view={view} />
}
