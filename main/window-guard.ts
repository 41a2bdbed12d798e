import { LoomError, errorBody, type ErrorDetail } from '../shared/contract/errors.ts'
import type { WindowCall } from './engine-messages.ts'

/** Where the window's own page lives. Nothing else is ever loaded. */
export const APP_SCHEME = 'app'
export const APP_ORIGIN = `${APP_SCHEME}://loom`

/** As much of Electron's frame as is looked at. */
export interface Frame {
  readonly url: string
  readonly parent: Frame | null
}

/** Whether a message comes from the main frame of the window's own page. */
export function isOwnFrame(frame: Frame | null, mainFrame: Frame): boolean {
  return frame !== null && frame === mainFrame && frame.parent === null && isOwnPage(frame.url)
}

export function isOwnPage(url: string): boolean {
  return URL.canParse(url) && url.startsWith(`${APP_ORIGIN}/`)
}

/** A message of `loom:call` as a call, or null for anything of another shape. */
export function toWindowCall(op: unknown, input: unknown, meta: unknown): WindowCall | null {
  if (typeof op !== 'string' || op.length > 200) return null
  if (meta !== undefined && (typeof meta !== 'object' || meta === null)) return null
  return { op, input, meta: meta ?? {} }
}

export function refusal(message: string): ErrorDetail {
  return errorBody(new LoomError('FORBIDDEN', message), '').detail
}
