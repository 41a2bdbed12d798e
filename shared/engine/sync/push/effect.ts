import type { Effect } from '../../../domain/sync/diverged.ts'
import { isShaped } from '../../write/shaped/claims.ts'

const RETIRES = new Set(['memory.delete', 'memory.delete_version', 'memory.reject'])
const CARRIES = new Set(['memory.set', 'memory.pin', 'memory.update', 'memory.update_by_id'])

/** What a change does to its key, as far as it matters when the key moved on. */
export function effectOf(op: string, input: Readonly<Record<string, unknown>>): Effect {
  if (isShaped(op)) return 'value'
  if (CARRIES.has(op)) return input['value'] === undefined ? 'other' : 'value'
  if (RETIRES.has(op)) return 'retires'
  return op === 'memory.verify' && input['verified'] !== false ? 'vouches' : 'other'
}
