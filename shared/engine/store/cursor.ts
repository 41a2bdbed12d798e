import { createHash } from 'node:crypto'
import { LoomError } from '../../contract/errors.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'

/**
 * Opaque cursors: where a list goes on, bound to the list that made them. `list` is any text that tells one list and
 * its filters from another.
 */
export function writeCursor(list: string, place: readonly unknown[]): string {
  return Buffer.from(stringifyJson([list, ...place])).toString('base64url')
}

/** The name of a list: its operation, place and filters, whatever the page. */
export function listName(op: string, namespace: string, input: Readonly<Record<string, unknown>>): string {
  const { cursor: _cursor, limit: _limit, ...filters } = input
  return createHash('sha256')
    .update(stringifyJson({ op, namespace, ...filters }))
    .digest('base64url')
    .slice(0, 16)
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
  throw new LoomError('INVALID_CURSOR', 'This cursor is broken, or belongs to another list. Start again without a cursor.', {
    field: 'cursor',
  })
}

const PARTS = {
  version: (part: unknown): boolean => typeof part === 'string' && /^\d{1,19}$/.test(part) && BigInt(part) < 2n ** 63n,
  time: (part: unknown): boolean =>
    typeof part === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(part) && !Number.isNaN(Date.parse(part)),
  text: (part: unknown): boolean => typeof part === 'string' && !part.includes('\0'),
} as const

/**
 * A place in a list as texts of known kinds: what a caller made up never reaches a query.
 * @throws LoomError INVALID_CURSOR as `readCursor`, and for parts of other kinds.
 */
export function readPlace(list: string, cursor: string | undefined, kinds: readonly (keyof typeof PARTS)[]): readonly string[] | null {
  const place = readCursor(list, cursor)
  if (place === null) return null
  if (place.length === kinds.length && kinds.every((kind, at) => PARTS[kind](place[at]))) return place as readonly string[]
  throw new LoomError('INVALID_CURSOR', 'This cursor is broken. Start again without a cursor.', { field: 'cursor' })
}
