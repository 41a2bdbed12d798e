import { z } from 'zod'
import { RecoveryChoice, type RecoveryDone, type RecoveryView } from './recovery.ts'

/**
 * What the app around the window answers to its own pages, besides operations: windows, shortcuts, and the way on where
 * there is no engine. No other program reaches it, over any transport.
 */

/** A place in the window, as the part of its address behind `#`. */
const Route = z
  .string()
  .max(2000)
  .regex(/^\/[^\p{Cc}]*$/u)

/** Of an export the person chooses the folder in a dialogue of the system. */
const WindowChoice = z.union([
  RecoveryChoice.options[0],
  RecoveryChoice.options[1],
  RecoveryChoice.options[2],
  z.object({ do: z.literal('export') }),
  z.object({ do: z.literal('retry') }),
  z.object({ do: z.literal('show_folder') }),
])

/** Inputs of the calls, by name. */
export const SHELL_CALLS = {
  'shell.state': z.object({}),
  /** Puts the small window that calls away. */
  'shell.close': z.object({}),
  /** Shows a place in the main window. */
  'shell.open': z.object({ route: Route }),
  /** How Loom stands, in the words of the foot of the window, for the tray. */
  'shell.standing': z.object({ words: z.string().max(200) }),
  'shell.recover': WindowChoice,
} as const

export type ShellCallName = keyof typeof SHELL_CALLS
export const isShellCall = (name: string): name is ShellCallName => Object.hasOwn(SHELL_CALLS, name)

/** `taken`: another app has the keys, or the system keeps them for itself. */
export type ShortcutState = 'on' | 'off' | 'taken'

export interface ShellState {
  /** Set while the database cannot be opened. */
  readonly recovery: RecoveryView | null
  readonly shortcuts: { readonly write: ShortcutState; readonly search: ShortcutState }
  /** The system shows notifications at all. */
  readonly notifications: boolean
}

/** Answers of the calls, by name. */
export interface ShellAnswers {
  readonly 'shell.state': ShellState
  readonly 'shell.close': Record<string, never>
  readonly 'shell.open': Record<string, never>
  readonly 'shell.standing': Record<string, never>
  /** Null: there is nothing to tell, or the person left the dialogue. */
  readonly 'shell.recover': { readonly done: RecoveryDone | null }
}

/** What the app tells its pages, on the road of the engine's events. */
export type ShellEvent =
  /** What `shell.state` answers is another. */
  | { readonly type: 'shell.state' }
  /** The small window is to show this. */
  | { readonly type: 'shell.show'; readonly what: 'write' | 'search' }
  /** The main window is to go there. */
  | { readonly type: 'shell.go'; readonly route: string }
