import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { MemoryVersionTable } from '../db/tables.ts'
import type { EngineParts } from '../parts.ts'
import { recordedAt, STATUS_ONLY } from '../store/versions-as-of.ts'

/** What a timeline tells of a version, and what its times are found by. Not the value: thousands are sorted. */
const COLUMNS = [
  'memory_id',
  'memory_key',
  'version',
  'status',
  'excerpt',
  'memory_type',
  'sensitivity',
  'valid_at',
  'valid_to',
  'created_at',
  'expires_at',
  'on_expire',
  'tombstoned_at',
  'redacted',
  'agent',
  'user_id',
  'tags',
  'entities',
  'actor',
] as const

/** A version that said something, with the two times that it has: see `toldVersions`. */
export interface ToldVersion extends Pick<Selectable<MemoryVersionTable>, (typeof COLUMNS)[number]> {
  /** By which a timeline is ordered. */
  at: Date
  is_head_claim: boolean
  head_status: string
  head_superseded_by: string
  known_from: Date
  known_until: Date | null
  true_from: Date
  true_until: Date | null
  held_until: Date | null
}

export interface ToldQuery {
  /** Of the heads, `loom.memory AS m`. */
  readonly heads: RawBuilder<unknown>
  /** Of the versions told, `t`. */
  readonly versions: RawBuilder<unknown>
  readonly order: 'asc' | 'desc'
  readonly limit: number
}

const GONE = sql`('superseded', 'rejected', 'tombstoned', 'redirect')`

/**
 * Versions that said something: every one but those that set a status alone, and of those the ones that put a claim
 * back. A version is the answer of as_of in valid time from `true_from` until `true_until`, in knowledge time from
 * `known_from` until `held_until`; where the first two are equal, at no time.
 */
export async function toldVersions(
  db: Queryable,
  host: EngineParts['host'],
  { heads, versions, order, limit }: ToldQuery,
): Promise<ToldVersion[]> {
  const recorded = recordedAt(host)
  const direction = sql.raw(order === 'desc' ? 'DESC' : 'ASC')
  const { rows } = await sql<ToldVersion>`
    WITH v AS (
      SELECT ${sql.join(COLUMNS.map((column) => sql.ref(`v.${column}`)))}, m.status AS head_status, m.superseded_by AS head_superseded_by, m.entities AS head_entities,
        coalesce(v.valid_at, v.created_at) AS at, ${recorded} AS known_from, coalesce(v.valid_at, v.temporal_anchor, ${recorded}) AS true_from,
        ${STATUS_ONLY} AS status_only, coalesce(lag(v.status) OVER w IN ${GONE} AND v.status NOT IN ${GONE}, false) AS put_back
      FROM loom.memory_version v JOIN loom.memory m ON m.org = v.org AND m.memory_id = v.memory_id
      WHERE ${heads} AND v.erased_by = '' AND NOT v.lost
      WINDOW w AS (PARTITION BY v.memory_id ORDER BY v.version)),
    turns AS (
      SELECT v.*, least(v.tombstoned_at, lead(v.known_from) OVER learnt) AS known_until,
        CASE WHEN v.status_only THEN v.true_from ELSE least(v.valid_to, lead(v.true_from) OVER became) END AS true_until,
        v.version = max(v.version) FILTER (WHERE NOT v.status_only OR v.put_back) OVER (PARTITION BY v.memory_id) AS is_head_claim
      FROM v WHERE NOT v.status_only OR v.put_back OR v.status IN ${GONE}
      WINDOW learnt AS (PARTITION BY v.memory_id ORDER BY v.version),
        became AS (PARTITION BY v.memory_id, v.status_only OR v.status = 'proposed' ORDER BY v.true_from, v.version)),
    t AS (
      SELECT turns.*, least(known_until, valid_to, CASE WHEN on_expire <> 'demote' THEN expires_at END) AS held_until
      FROM turns WHERE NOT status_only OR put_back)
    SELECT t.* FROM t WHERE t.status NOT IN ('tombstoned', 'rejected', 'proposed', 'redirect') AND NOT t.redacted
      AND t.sensitivity <> 'high' AND ${versions}
    ORDER BY t.at ${direction}, t.version ${direction}, t.memory_id ${direction} LIMIT ${limit}`.execute(db)
  return rows
}
