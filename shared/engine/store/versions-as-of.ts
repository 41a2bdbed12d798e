import { sql, type RawBuilder, type Selectable } from 'kysely'
import { UNGUARDED } from '../db/columns.ts'
import type { Queryable } from '../db/database.ts'
import type { MemoryVersionTable } from '../db/tables.ts'
import type { EngineParts } from '../parts.ts'
import type { Head } from './memories.ts'

/** A time, and in which of the two senses it is meant: what was true then, or what was known then. */
export interface AsOf {
  readonly at: Date
  readonly basis: 'valid_time' | 'knowledge_time'
}

export interface PastVersion extends Selectable<MemoryVersionTable> {
  readonly is_head: boolean
  readonly head_status: string
  readonly head_sensitivity: string
  readonly head_pinned: boolean
}

/** When a host learnt of a version: a server by its own clock, whoever made it. */
export function recordedAt(host: EngineParts['host']): RawBuilder<Date> {
  return host === 'server' ? sql<Date>`coalesce(v.server_recorded_at, v.updated_at)` : sql<Date>`v.updated_at`
}

const SAME = ['content_sha256', 'memory_type', 'tags', 'confidence', 'sensitivity', 'valid_at', 'valid_to', 'redacted'] as const

/** True of a version that sets a status and nothing else: a retirement, a flag, a restore. Needs the window `w`. */
export const STATUS_ONLY: RawBuilder<boolean> = sql<boolean>`(lag(v.version) OVER w IS NOT NULL AND v.status <> lag(v.status) OVER w AND ${sql.join(
  SAME.map((column) => sql`${sql.ref(`v.${column}`)} IS NOT DISTINCT FROM lag(${sql.ref(`v.${column}`)}) OVER w`),
  sql` AND `,
)})`

/** Versions of rows named by `scope` (over `loom.memory_version AS v`) as they stood at a time, one a row; see `standing`. */
export async function versionsAsOf(
  db: Queryable,
  host: EngineParts['host'],
  asOf: AsOf,
  scope: RawBuilder<unknown>,
): Promise<PastVersion[]> {
  const recorded = recordedAt(host)
  const counts =
    asOf.basis === 'valid_time'
      ? sql`NOT v.status_only AND v.effective <= ${asOf.at} AND h.status NOT IN ('tombstoned', 'rejected', 'proposed') AND v.status <> 'proposed'`
      : sql`v.recorded <= ${asOf.at}`
  const order = asOf.basis === 'valid_time' ? sql`v.effective DESC, v.version DESC` : sql`v.version DESC`
  const { rows } = await sql<PastVersion>`
    WITH v AS (
      SELECT v.*, ${recorded} AS recorded, coalesce(v.valid_at, v.temporal_anchor, ${recorded}) AS effective, ${STATUS_ONLY} AS status_only
      FROM loom.memory_version v WHERE ${scope} AND v.erased_by = '' AND NOT v.lost
      WINDOW w AS (PARTITION BY v.memory_id ORDER BY v.version))
    SELECT DISTINCT ON (v.memory_id) v.*, h.version = v.version AS is_head, h.status AS head_status, h.sensitivity AS head_sensitivity, h.pinned AS head_pinned
    FROM v JOIN loom.memory h ON h.org = v.org AND h.memory_id = v.memory_id AND h.erased_by = ''
    WHERE ${counts} ORDER BY v.memory_id, ${order}`.execute(db)
  return rows
}

const GONE = new Set(['superseded', 'rejected', 'redirect'])

/** Why the version of a time is not served, or "". Supersession and expiry since do not matter to what was true. */
export function standing(version: PastVersion, asOf: AsOf): '' | 'deleted' | 'not_found' | 'expired' | 'proposed' {
  if (version.valid_to !== null && version.valid_to <= asOf.at) return 'expired'
  if (version.status === 'tombstoned') return 'deleted'
  // A cleared row keeps its version, which then says when it ended.
  if (asOf.basis === 'knowledge_time' && version.tombstoned_at !== null && version.tombstoned_at <= asOf.at) return 'deleted'
  if (asOf.basis === 'valid_time') return ''
  if (version.status === 'proposed') return 'proposed'
  if (GONE.has(version.status)) return 'not_found'
  return version.expires_at !== null && version.expires_at <= asOf.at && version.on_expire !== 'demote' ? 'expired' : ''
}

/** A past version in the shape of a head; guards are not part of history. */
export function asHead(version: PastVersion): Head {
  const { op: _op, lost: _lost, is_head: _is, head_status: _status, head_sensitivity: _level, head_pinned: pinned, ...columns } = version
  return { ...columns, ...UNGUARDED, pinned, rev: 0n }
}
