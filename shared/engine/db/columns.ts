import type { GuardColumns, MemoryTable, VersionColumns } from './tables.ts'

/** Columns that a head and its versions share. */
export const VERSION_COLUMNS = [
  'org',
  'namespace',
  'agent',
  'user_id',
  'session_id',
  'memory_key',
  'memory_id',
  'version',
  'value',
  'excerpt',
  'memory_type',
  'status',
  'conflict_verdict',
  'sensitivity',
  'sensitivity_stated',
  'content_sha256',
  'canonical_sha256',
  'tags',
  'entities',
  'files',
  'confidence',
  'valid_at',
  'valid_to',
  'temporal_anchor',
  'temporal_confidence',
  'expires_at',
  'on_expire',
  'expire_reason',
  'expiry_cleared',
  'actor',
  'source_class',
  'source_trace',
  'source_resource_id',
  'run_id',
  'superseded_by',
  'superseded_at',
  'duplicate_of',
  'canonical_key',
  'invalid_at',
  'tombstoned_at',
  'redacted',
  'chunks',
  'created_at',
  'updated_at',
  'server_recorded_at',
  'provisional',
  'erasure_seq',
  'erased_by',
] as const satisfies readonly (keyof VersionColumns)[]

/** Columns of a head alone: guards and vouching live outside the version chain. */
export const GUARD_COLUMNS = [
  'pinned',
  'char_limit',
  'lock_mode',
  'lock_reason',
  'locked_by',
  'lock_until',
  'lock_actor',
  'locked_at',
  'verified_by',
  'verified_at',
  'verified_sha256',
] as const satisfies readonly (keyof GuardColumns)[]

/** The part of a head that its history keeps. */
export function versionColumnsOf(head: MemoryTable): VersionColumns {
  return Object.fromEntries(VERSION_COLUMNS.map((column) => [column, head[column]])) as unknown as VersionColumns
}

/** No lock, no pin, nothing vouched for: how a row starts. */
export const UNGUARDED: GuardColumns = {
  pinned: false,
  char_limit: null,
  lock_mode: '',
  lock_reason: '',
  locked_by: '',
  lock_until: null,
  lock_actor: '',
  locked_at: null,
  verified_by: '',
  verified_at: null,
  verified_sha256: '',
}
