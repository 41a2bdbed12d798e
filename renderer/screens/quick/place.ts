import { pathOf, type Target } from '../../state/route.ts'
import { askShell, hasShell } from '../../state/shell.ts'

export type Quick = 'write' | 'search'

const PATHS: Readonly<Record<string, Quick>> = { '/write': 'write', '/find': 'search' }

/** Which of the small pages an address is of; null: the window itself. */
export const quickOf = (path: string): Quick | null => PATHS[path.replace(/\/+$/, '')] ?? null

/** Shows a place in the main window; in a browser this page becomes it. */
export function openPlace(target: Target): void {
  const route = pathOf(target)
  if (hasShell()) void askShell('shell.open', { route })
  else window.location.assign(`/#${route}`)
}

/** Puts the small window away; in a browser this page becomes the main one. */
export function leaveQuick(namespace: string): void {
  if (hasShell()) void askShell('shell.close')
  else window.location.assign(`/#${pathOf({ namespace })}`)
}
