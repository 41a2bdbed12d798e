import { LoomError } from '../../contract/errors.ts'
import type { OnExpire, Sensitivity } from '../../contract/common.ts'
import type { NamespaceSettings, Window } from '../../contract/ops/namespace/register.ts'
import type { z } from 'zod'
import { fold } from '../../domain/text/fold.ts'
import type { Head } from '../store/memories.ts'

export interface ExpiryInput {
  readonly ttl_seconds?: number | undefined
  readonly clear_expiry: boolean
  readonly on_expire?: OnExpire | undefined
  readonly expire_reason?: string | undefined
}

export interface Expiry {
  readonly expires_at: Date | null
  readonly on_expire: string
  readonly expire_reason: string
  readonly expiry_cleared: boolean
}

/** @throws LoomError INVALID_ARGUMENT for combinations that contradict each other. */
export function checkExpiry(input: ExpiryInput, validAt: Date | null, validTo: Date | null): void {
  const refuse = (field: string, message: string): never => {
    throw new LoomError('INVALID_ARGUMENT', message, { field })
  }
  if (input.clear_expiry && input.ttl_seconds !== undefined)
    refuse('clear_expiry', 'clear_expiry and ttl_seconds contradict each other. Send one.')
  if (input.clear_expiry && validTo !== null) refuse('clear_expiry', 'clear_expiry and valid_to contradict each other. Send one.')
  if (validAt !== null && validTo !== null && validTo <= validAt) refuse('valid_to', 'valid_to must be after valid_at.')
  if (input.expire_reason?.startsWith('retention:'))
    refuse('expire_reason', 'Reasons that start with "retention:" are set by windows alone.')
}

/** The shortest retention window that fits a row, with the reason it gives. */
function shortestWindow(
  settings: NamespaceSettings,
  row: { readonly memoryType: keyof NamespaceSettings['retention']; readonly tags: readonly string[]; readonly sensitivity: Sensitivity },
): { window: z.infer<typeof Window>; reason: string } | null {
  const lower = new Set(row.tags.map(fold))
  const fitting = [
    { window: settings.retention[row.memoryType], reason: `retention:${row.memoryType}` },
    ...Object.entries(settings.tag_registry)
      .filter(([tag]) => lower.has(fold(tag)))
      .map(([tag, policy]) => ({ window: policy.window ?? undefined, reason: `retention:tag:${tag}` })),
    {
      window: row.sensitivity === '' ? undefined : settings.sensitive_retention[row.sensitivity],
      reason: `retention:sensitive:${row.sensitivity}`,
    },
  ].filter((entry): entry is { window: z.infer<typeof Window>; reason: string } => entry.window !== undefined)
  fitting.sort((a, b) => a.window.ttl_seconds - b.window.ttl_seconds)
  return fitting[0] ?? null
}

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000)

/**
 * When a row expires: never under clear_expiry; else the earlier of now + ttl_seconds and valid_to; else the live row's
 * own, kept, unless a window set it; else the shortest window; else never (EXP001, EXP009).
 */
export function expiryOf(
  input: ExpiryInput,
  validTo: Date | null,
  validToNamed: boolean,
  live: Head | null,
  settings: NamespaceSettings,
  row: Parameters<typeof shortestWindow>[1],
  now: Date,
): Expiry {
  const onExpire = input.on_expire ?? live?.on_expire ?? 'tombstone'
  const reason = input.expire_reason ?? ''
  if (input.clear_expiry) return { expires_at: null, on_expire: onExpire, expire_reason: reason, expiry_cleared: true }
  const named = [
    ...(input.ttl_seconds === undefined ? [] : [after(now, input.ttl_seconds)]),
    ...(validToNamed && validTo !== null ? [validTo] : []),
  ]
  if (named.length > 0) {
    const earliest = named.reduce((a, b) => (b < a ? b : a))
    return { expires_at: earliest, on_expire: onExpire, expire_reason: reason, expiry_cleared: false }
  }
  if (live && live.expires_at !== null && !live.expire_reason.startsWith('retention:')) {
    return {
      expires_at: live.expires_at,
      on_expire: onExpire,
      expire_reason: input.expire_reason ?? live.expire_reason,
      expiry_cleared: false,
    }
  }
  if (live?.expiry_cleared) return { expires_at: null, on_expire: onExpire, expire_reason: live.expire_reason, expiry_cleared: true }
  const shortest = shortestWindow(settings, row)
  if (shortest) {
    return {
      expires_at: after(now, shortest.window.ttl_seconds),
      on_expire: input.on_expire ?? shortest.window.on_expire,
      expire_reason: shortest.reason,
      expiry_cleared: false,
    }
  }
  return { expires_at: null, on_expire: onExpire, expire_reason: reason, expiry_cleared: false }
}

/** A row whose expiry a window set, or that has none and was not told to have none. */
function followsWindows(head: Pick<Head, 'expires_at' | 'expire_reason' | 'expiry_cleared'>): boolean {
  return !head.expiry_cleared && (head.expires_at === null || head.expire_reason.startsWith('retention:'))
}

/** The expiry that today's windows give a stored row, counted from `from`; null where the row keeps its own. */
export function windowExpiry(head: Head, settings: NamespaceSettings, sensitivity: Sensitivity, from: Date): Expiry | null {
  if (!followsWindows(head)) return null
  const shortest = shortestWindow(settings, {
    memoryType: head.memory_type as keyof NamespaceSettings['retention'],
    tags: head.tags,
    sensitivity,
  })
  if (!shortest)
    return {
      expires_at: null,
      on_expire: head.expires_at === null ? head.on_expire : 'tombstone',
      expire_reason: '',
      expiry_cleared: false,
    }
  return {
    expires_at: after(from, shortest.window.ttl_seconds),
    on_expire: shortest.window.on_expire,
    expire_reason: shortest.reason,
    expiry_cleared: false,
  }
}
