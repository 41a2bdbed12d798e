import { sql, type RawBuilder } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** A version that retired its row by itself, with what took its place. */
export interface RetiredVersion {
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly memory_key: string
  readonly memory_id: string
  readonly version: bigint
  readonly updated_at: Date
  readonly excerpt: string
  readonly sensitivity: string
  readonly superseded_by: string
  readonly retired_cause: string
  readonly retired_reason: string
  readonly retired_confidence: number | null
  readonly retired_by_version: bigint | null
  readonly by_key: string | null
  readonly by_actor: string | null
  /** When memory.restore brought the row back, if it did. */
  readonly restored_at: Date | null
}

/** Retired versions, newest first. Conditions are over v (the version) and back (its restoration). */
export async function retirements(
  db: Queryable,
  org: string,
  namespace: string,
  conditions: readonly RawBuilder<boolean>[],
  limit: number,
): Promise<RetiredVersion[]> {
  const all = [sql<boolean>`v.org = ${org} AND v.namespace = ${namespace} AND v.retired_cause <> '' AND v.erased_by = ''`, ...conditions]
  const { rows } = await sql<RetiredVersion>`
    SELECT v.namespace, v.agent, v.user_id, v.session_id, v.memory_key, v.memory_id, v.version, v.updated_at, v.excerpt, v.sensitivity,
      v.superseded_by, v.retired_cause, v.retired_reason, v.retired_confidence, v.retired_by_version,
      b.memory_key AS by_key, b.actor AS by_actor, back.restored_at
    FROM loom.memory_version v
    LEFT JOIN loom.memory_version b ON b.org = v.org AND b.memory_id = v.superseded_by AND b.version = v.retired_by_version
    LEFT JOIN LATERAL (
      SELECT CASE WHEN n.op = 'memory.restore' THEN n.updated_at END AS restored_at FROM loom.memory_version n
      WHERE n.org = v.org AND n.memory_id = v.memory_id AND n.version > v.version AND NOT n.lost ORDER BY n.version LIMIT 1
    ) AS back ON true
    WHERE ${sql.join(all, sql` AND `)}
    ORDER BY v.updated_at DESC, v.memory_id DESC LIMIT ${limit}`.execute(db)
  return rows
}
