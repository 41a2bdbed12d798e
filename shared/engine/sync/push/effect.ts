import type { Effect } from '../../../domain/sync/diverged.ts'
import { isShaped } from '../../write/shaped/claims.ts'

const RETIRES = new Set(['memory.delete', 'memory.delete_version', 'memory.reject'])
/** What is laid on a shelf is the text that its sharer saw. */
const SHARES = new Set(['memory.promote', 'memory.cross_promote'])
const CARRIES = new Set(['memory.set', 'memory.pin', 'memory.update', 'memory.update_by_id'])

/** What a change does to its key, as far as it matters when the key moved on. */
export function effectOf(op: string, input: Readonly<Record<string, unknown>>): Effect {
  if (isShaped(op)) return 'value'
  if (CARRIES.has(op)) return input['value'] === undefined ? 'other' : 'value'
  if (RETIRES.has(op)) return 'retires'
  if (SHARES.has(op)) return 'vouches'
  return op === 'memory.verify' && input['verified'] !== false ? 'vouches' : 'other'
}
