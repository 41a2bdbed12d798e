import type { Head } from '../store/memories.ts'

const LIVE = new Set(['active', 'conflicted', 'duplicate'])

/** Past valid_to, or past expires_at unless its expiry only demotes. */
export function isExpired(head: Pick<Head, 'valid_to' | 'expires_at' | 'on_expire'>, now: Date): boolean {
  if (head.valid_to !== null && head.valid_to <= now) return true
  return head.expires_at !== null && head.expires_at <= now && head.on_expire !== 'demote'
}

/** A head that is served: active, conflicted or duplicate, and not expired. */
export function isLive(head: Head, now: Date): boolean {
  return LIVE.has(head.status) && !isExpired(head, now)
}

/** A proposal whose trial runs: shown only to who asks for proposals. */
export function isOnTrial(head: Head, now: Date): boolean {
  return head.status === 'proposed' && !isExpired(head, now)
}

/** The key holds a claim that a write revises: a fact, or a proposal. */
export const isHeld = (head: Head, now: Date): boolean => isLive(head, now) || isOnTrial(head, now)

/** Would be live, but for its expiry. */
export function isLapsed(head: Head, now: Date): boolean {
  return LIVE.has(head.status) && isExpired(head, now)
}

/** The lock in force, if any. */
export function lockOf(head: Head, now: Date): { mode: 'read_only' | 'no_delete' } | null {
  if (head.lock_mode === '' || (head.lock_until !== null && head.lock_until <= now)) return null
  return { mode: head.lock_mode as 'read_only' | 'no_delete' }
}

/** Vouched for as it now reads: a changed value is unverified. */
export function isVerified(head: Pick<Head, 'verified_by' | 'verified_sha256' | 'content_sha256'>): boolean {
  return head.verified_by !== '' && head.verified_sha256 === head.content_sha256
}

/** A row that stands by itself: nothing it repeats, nothing that holds it back. */
export const STANDING = { status: 'active', duplicate_of: '', canonical_key: '' } as const
