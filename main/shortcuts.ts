import { globalShortcut } from 'electron'
import { acceleratorOf } from '../shared/contract/shortcut.ts'
import type { ShortcutState } from '../shared/contract/shell-calls.ts'

/** Keys that act while any app has the focus. */
export interface Shortcut {
  /** How it stands with the keys that were asked for last. */
  readonly state: ShortcutState
  /** Takes other keys; none where the text is empty. */
  follow(keys: string): void
}

/** @param act what the keys do */
export function createShortcut(act: () => void): Shortcut {
  let held = ''
  let state: ShortcutState = 'off'
  const take = (keys: string): ShortcutState => {
    try {
      // False too for keys that the system keeps for itself.
      return globalShortcut.register(acceleratorOf(keys), act) ? 'on' : 'taken'
    } catch {
      return 'taken'
    }
  }
  return {
    get state() {
      return state
    },
    follow(keys) {
      if (keys === held && state !== 'taken') return
      if (state === 'on') globalShortcut.unregister(acceleratorOf(held))
      held = keys
      state = keys === '' ? 'off' : take(keys)
    },
  }
}
