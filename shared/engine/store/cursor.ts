import { LoomError } from '../../contract/errors.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'

/**
 * Opaque cursors: where a list goes on, bound to the list that made them. `list` is any text that tells one list and
 * its filters from another.
 */
export function writeCursor(list: string, place: readonly unknown[]): string {
  return Buffer.from(stringifyJson([list, ...place])).toString('base64url')
}

/** @throws LoomError INVALID_CURSOR for a broken cursor, or one of another list. */
export function readCursor(list: string, cursor: string | undefined): readonly unknown[] | null {
  if (cursor === undefined || cursor === '') return null
  try {
    const parts = parseJson(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (Array.isArray(parts) && parts[0] === list) return parts.slice(1)
  } catch {
    // falls through to the one refusal
  }
  throw new LoomError('INVALID_CURSOR', 'This cursor is broken, or belongs to another list. Start again without a cursor.', { field: 'cursor' })
}
