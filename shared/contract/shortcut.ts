/**
 * Keys that act anywhere in the system, as they are stored: `Mod+Shift+M`. `Mod` is Cmd on a Mac and Ctrl elsewhere. Empty:
 * no keys.
 */
const MODIFIERS = ['Mod', 'Ctrl', 'Alt', 'Shift', 'Super'] as const
const KEY =
  /^(?:[A-Z]|[0-9]|F(?:[1-9]|1[0-9]|2[0-4])|Space|Tab|Enter|Escape|Home|End|PageUp|PageDown|Insert|Delete|Up|Down|Left|Right|[,.\-=/;'`[\]\\])$/

/** Whether a text is a shortcut: modifiers in any order, at least one besides Shift, then one key; or nothing. */
export function isShortcut(text: string): boolean {
  if (text === '') return true
  const parts = text.split('+')
  const key = parts.pop() ?? ''
  const known = parts.every((part) => (MODIFIERS as readonly string[]).includes(part))
  return KEY.test(key) && known && new Set(parts).size === parts.length && parts.some((part) => part !== 'Shift')
}

/** As Electron names it. */
export function acceleratorOf(shortcut: string): string {
  return shortcut.replace(/^(.*\+)?Mod\+/, '$1CommandOrControl+').replace(/\bCtrl\b/, 'Control')
}

/** As people read it on their keyboard: `Ctrl Shift M`. */
export function shortcutWords(shortcut: string, isMac: boolean): string {
  const names: Readonly<Record<string, string>> = isMac
    ? { Mod: 'Cmd', Ctrl: 'Control', Alt: 'Option', Super: 'Cmd' }
    : { Mod: 'Ctrl', Super: 'Win' }
  return shortcut
    .split('+')
    .map((part) => names[part] ?? part)
    .join(' ')
}

/** A key press, as far as it makes a shortcut. */
export interface Pressed {
  readonly key: string
  readonly code: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly altKey: boolean
  readonly shiftKey: boolean
}

const NAMED: Readonly<Record<string, string>> = { ' ': 'Space', ArrowUp: 'Up', ArrowDown: 'Down', ArrowLeft: 'Left', ArrowRight: 'Right' }

/** The shortcut that was pressed; null for a modifier alone, for one without a modifier, and for a key that cannot be one. */
export function shortcutOf(event: Pressed, isMac: boolean): string | null {
  // What Shift or Option makes of a letter depends on the keyboard; the letter itself does not.
  const byCode = /^(?:Key|Digit)(.)$/.exec(event.code)?.[1]
  const key = byCode ?? NAMED[event.key] ?? (event.key.length === 1 ? event.key.toUpperCase() : event.key)
  const parts = [
    ...((isMac ? event.metaKey : event.ctrlKey) ? ['Mod'] : []),
    ...(isMac && event.ctrlKey ? ['Ctrl'] : []),
    ...(!isMac && event.metaKey ? ['Super'] : []),
    ...(event.altKey ? ['Alt'] : []),
    ...(event.shiftKey ? ['Shift'] : []),
    key,
  ]
  const shortcut = parts.join('+')
  return isShortcut(shortcut) ? shortcut : null
}
