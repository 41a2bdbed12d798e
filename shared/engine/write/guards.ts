import { LoomError } from '../../contract/errors.ts'
import type { Head } from '../store/memories.ts'
import { lockOf } from './state.ts'

/** What a call attempts on a live row; see the table "Guards" of the write path. */
export type Attempt = 'change_value' | 'correct_value' | 'change_expiry' | 'relabel' | 'annotate' | 'delete' | 'drop'

const REFUSED_BY: Record<Attempt, { readonly locks: readonly string[]; readonly pin: boolean }> = {
  change_value: { locks: ['read_only'], pin: true },
  correct_value: { locks: ['read_only'], pin: false },
  change_expiry: { locks: ['read_only'], pin: false },
  relabel: { locks: ['read_only'], pin: false },
  annotate: { locks: [], pin: false },
  delete: { locks: ['read_only', 'no_delete'], pin: false },
  /** The side of a pair that is not kept. */
  drop: { locks: ['read_only', 'no_delete'], pin: true },
}

/**
 * The lock is tested before the pin (CHK010).
 * @throws LoomError LOCKED or PINNED_CONFLICT.
 */
export function passGuards(head: Head, attempt: Attempt, now: Date): void {
  const refused = REFUSED_BY[attempt]
  const lock = lockOf(head, now)
  if (lock && refused.locks.includes(lock.mode)) {
    const until = head.lock_until?.toISOString() ?? null
    throw new LoomError(
      'LOCKED',
      `${head.memory_key} is locked ${lock.mode} by ${head.locked_by}: ${head.lock_reason}. An admin can unlock it with memory.unlock.`,
      {
        mode: lock.mode,
        reason: head.lock_reason,
        locked_by: head.locked_by,
        until,
        memory_key: head.memory_key,
      },
    )
  }
  if (head.pinned && refused.pin) {
    throw new LoomError(
      'PINNED_CONFLICT',
      `${head.memory_key} is pinned and keeps its value. Correct it with memory.update, or unpin it first.`,
      {
        memory_key: head.memory_key,
        memory_id: head.memory_id,
      },
    )
  }
}
