import { sql, type RawBuilder } from 'kysely'
import { UNGUARDED } from '../db/columns.ts'
import type { Queryable } from '../db/database.ts'
import type { Head } from './memories.ts'
import type { Shared } from './shelf.ts'

/** A shared copy with what still has to be known of its row. */
export interface SharedRow extends Shared {
  /** The row is external, and nobody vouches for what the copy says. */
  readonly unattested: boolean
}

const UNATTESTED = sql`coalesce(m.source_class = 'external' AND NOT (m.verified_by <> '' AND m.verified_sha256 = s.content_sha256), false)`
/** Characters of a stored value that its first 200 of text are among. */
const LOOKED_INTO = 220
const SHELF = sql`loom.memory_shelf s LEFT JOIN loom.memory m ON m.org = s.org AND m.memory_id = s.memory_id`
const SHARED = sql`SELECT s.*, ${UNATTESTED} AS unattested FROM ${SHELF}`

/**
 * Shared copies of a namespace as `memory_key` and `mark`, another one whenever search is to hold another: of other words,
 * of another row, attested since, or with a vector that came later.
 */
export const shelfMarks = (org: string, namespace: string): RawBuilder<unknown> => sql`SELECT s.memory_key,
    concat_ws('/', s.memory_id, s.version, s.content_sha256, ${UNATTESTED}, e.model) AS mark
  FROM ${SHELF} LEFT JOIN loom.memory_embedding e ON e.org = s.org AND e.memory_id = s.memory_id AND e.axis = 'value'
  WHERE s.org = ${org} AND s.namespace = ${namespace}`

/** Shared copies of a namespace by their keys. */
export async function sharedRows(db: Queryable, org: string, namespace: string, keys: readonly string[]): Promise<SharedRow[]> {
  if (keys.length === 0) return []
  const { rows } =
    await sql<SharedRow>`${SHARED} WHERE s.org = ${org} AND s.namespace = ${namespace} AND s.memory_key = any(${[...keys]}::text[])`.execute(
      db,
    )
  return rows
}

/** Columns of a row that no copy has, as a copy shows them. */
const COPY_COLUMNS = sql`'-' AS user_id, '-' AS session_id, 'active' AS status, '' AS erased_by, '{}'::text[] AS files, '' AS run_id,
  '' AS verified_by, '' AS verified_sha256, false AS pinned, false AS provisional, '' AS lock_mode, NULL::timestamptz AS lock_until,
  NULL::timestamptz AS valid_at, NULL::timestamptz AS valid_to, NULL::timestamptz AS expires_at, 'tombstone' AS on_expire, 1::float8 AS confidence`

/**
 * Shared copies of a namespace under the columns of `loom.memory` that a list filters and sorts by, without those whose
 * rows are of the namespace and seen as they are. @param sees of a row `m`
 */
export const copiesAsRows = (org: string, namespace: string, sees: RawBuilder<boolean>): RawBuilder<unknown> => sql`(SELECT ${COPY_COLUMNS},
    s.org, s.namespace, s.agent, s.memory_key, s.memory_id, s.memory_type, s.sensitivity, s.tags, s.entities, s.actor, s.content_sha256,
    s.at AS created_at, s.at AS updated_at, CASE WHEN s.sensitivity = 'high' THEN '' ELSE left(s.value, ${LOOKED_INTO}) END AS excerpt,
    CASE WHEN ${UNATTESTED} THEN 'external' ELSE 'derived' END AS source_class
  FROM ${SHELF} WHERE s.org = ${org} AND s.namespace = ${namespace} AND NOT coalesce(m.namespace = s.namespace AND ${sees}, false))`

/** A shared copy in the shape of a head: what it says, and nothing of whose row it is a copy. */
export function sharedHead(shared: SharedRow): Head {
  return {
    ...UNGUARDED,
    org: shared.org,
    namespace: shared.namespace,
    agent: shared.agent,
    user_id: '-',
    session_id: '-',
    memory_key: shared.memory_key,
    memory_id: shared.memory_id,
    version: shared.version,
    value: shared.value,
    excerpt: '',
    memory_type: shared.memory_type,
    status: 'active',
    conflict_verdict: '',
    sensitivity: shared.sensitivity,
    sensitivity_stated: false,
    content_sha256: shared.content_sha256,
    canonical_sha256: '',
    tags: shared.tags,
    entities: shared.entities,
    files: [],
    confidence: 1,
    valid_at: null,
    valid_to: null,
    temporal_anchor: null,
    temporal_confidence: null,
    expires_at: null,
    on_expire: 'tombstone',
    expire_reason: '',
    expiry_cleared: false,
    actor: shared.actor,
    source_class: shared.unattested ? 'external' : 'derived',
    source_trace: '',
    source_resource_id: '',
    run_id: '',
    superseded_by: '',
    superseded_at: null,
    duplicate_of: '',
    canonical_key: '',
    invalid_at: null,
    tombstoned_at: null,
    redacted: false,
    chunks: 0,
    created_at: shared.at,
    updated_at: shared.at,
    server_recorded_at: null,
    provisional: false,
    erasure_seq: shared.erasure_seq,
    erased_by: '',
    rev: 0n,
  }
}
