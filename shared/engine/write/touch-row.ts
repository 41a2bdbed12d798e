import { LoomError } from '../../contract/errors.ts'
import type { OnExpire } from '../../contract/common.ts'
import type { WriteContext } from '../handler.ts'
import { writeAudit } from '../store/audit.ts'
import type { Head } from '../store/memories.ts'
import type { Expiry } from './expiry.ts'
import { passGuards } from './guards.ts'
import { announce, auditOf } from './revise-row.ts'

export interface TouchInput {
  readonly ttl_seconds?: number | undefined
  readonly until?: string | undefined
  readonly clear_expiry?: boolean
  readonly on_expire?: OnExpire | undefined
  readonly expire_reason?: string
}

/** A new expiry, the instant worked out; null: never. */
export interface Touch {
  readonly at: Date | null
  readonly onExpire: OnExpire | undefined
  readonly reason: string
}

/**
 * @param field where the fields lie in the call, for messages
 * @throws LoomError INVALID_ARGUMENT unless exactly one new expiry is named, ahead, with a reason of its own.
 */
export function touchOf(input: TouchInput, now: Date, field = ''): Touch {
  const refuse = (name: string, message: string): never => {
    throw new LoomError('INVALID_ARGUMENT', message, { field: `${field}${name}` })
  }
  const named = [input.ttl_seconds !== undefined, input.until !== undefined, input.clear_expiry === true].filter(Boolean).length
  if (named !== 1) refuse('ttl_seconds', `Name one of ${field}ttl_seconds, ${field}until${field === '' ? ' and clear_expiry' : ''}.`)
  const reason = input.expire_reason ?? ''
  if (reason.startsWith('retention:')) refuse('expire_reason', 'Reasons that start with "retention:" are set by windows alone.')
  const until = input.until === undefined ? null : new Date(input.until)
  if (until !== null && until <= now) refuse('until', 'until must be ahead.')
  const at = input.ttl_seconds === undefined ? until : new Date(now.getTime() + input.ttl_seconds * 1000)
  return { at, onExpire: input.on_expire, reason }
}

/** The expiry that a row gets: never past its valid_to, and no longer that of a retention window. */
export function touchedExpiry(head: Head, touch: Touch): Expiry {
  const { at, reason } = touch
  const kept = head.expire_reason.startsWith('retention:') ? '' : head.expire_reason
  const earlier = at === null || (head.valid_to !== null && head.valid_to < at) ? head.valid_to : at
  return {
    expires_at: earlier,
    on_expire: touch.onExpire ?? head.on_expire,
    expire_reason: reason === '' ? kept : reason,
    expiry_cleared: at === null,
  }
}

export function sameExpiry(head: Head, expiry: Expiry): boolean {
  return (
    head.expires_at?.getTime() === expiry.expires_at?.getTime() &&
    head.on_expire === expiry.on_expire &&
    head.expire_reason === expiry.expire_reason &&
    head.expiry_cleared === expiry.expiry_cleared
  )
}

/**
 * Changes the expiry of a live row: no version, value and hash untouched, one audit row.
 * @throws LoomError LOCKED under a read_only lock.
 */
export async function touchRow(head: Head, touch: Touch, op: string, context: WriteContext): Promise<void> {
  passGuards(head, 'change_expiry', context.now)
  const expiry = touchedExpiry(head, touch)
  if (sameExpiry(head, expiry)) return
  await context.tx
    .updateTable('memory')
    .set({ ...expiry, rev: head.rev + 1n })
    .where('org', '=', head.org)
    .where('memory_id', '=', head.memory_id)
    .execute()
  await writeAudit(context.tx, [auditOf(head, op, context)])
  await announce({ ...head, ...expiry }, context)
}
