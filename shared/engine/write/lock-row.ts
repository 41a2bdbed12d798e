import type { LockMode } from '../../contract/common.ts'
import { LoomError } from '../../contract/errors.ts'
import type { WriteContext } from '../handler.ts'
import { atLeast, roleIn } from '../rights.ts'
import { writeAudit } from '../store/audit.ts'
import { writeGuards, type Head } from '../store/memories.ts'
import { announce, auditOf } from './revise-row.ts'
import { lockOf } from './state.ts'

export interface NewLock {
  readonly mode: LockMode
  readonly reason: string
  readonly lockedBy: string
  readonly until: Date | null
}

/** read_only is stricter than no_delete, and no end is stricter than any end (CHG038, CHG039). */
function loosens(head: Head, { mode, until }: NewLock, now: Date): boolean {
  const lock = lockOf(head, now)
  if (!lock) return false
  const weaker = lock.mode === 'read_only' && mode === 'no_delete'
  const earlier = until !== null && (head.lock_until === null || until < head.lock_until)
  return weaker || earlier
}

/** @throws LoomError FORBIDDEN for a writer who would loosen the lock in force. */
export function passLoosening(head: Head, lock: NewLock, context: WriteContext): void {
  if (!loosens(head, lock, context.now) || atLeast(roleIn(context.caller.claims, head.org, head.namespace), 'admin')) return
  throw new LoomError('FORBIDDEN', 'Loosening a lock needs admin.', { role_needed: 'admin' })
}

/** True when this lock is in force already, mode, end and reason. */
export function isLockedSo(head: Head, lock: NewLock, now: Date): boolean {
  return lockOf(head, now)?.mode === lock.mode && head.lock_until?.getTime() === lock.until?.getTime() && head.lock_reason === lock.reason
}

/**
 * Locks a live row: no version, one audit row. Answers the row as it now is.
 * @throws LoomError FORBIDDEN for a writer who would loosen the lock in force.
 */
export async function lockRow(head: Head, lock: NewLock, op: string, context: WriteContext): Promise<Head> {
  passLoosening(head, lock, context)
  const guards = {
    lock_mode: lock.mode,
    lock_reason: lock.reason,
    locked_by: lock.lockedBy,
    lock_until: lock.until,
    lock_actor: context.actor,
    locked_at: context.now,
  }
  const locked = { ...head, ...guards }
  await writeGuards(context.tx, head.org, head.memory_id, guards)
  await writeAudit(context.tx, [auditOf(head, op, context)])
  await announce(locked, context)
  return locked
}
