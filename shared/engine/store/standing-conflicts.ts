import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** Two live rows that stand against each other, and why the judge says so. */
export interface StandingConflict {
  readonly rowId: string
  readonly peerId: string
  readonly reason: string
}

/** Open conflicts in which one of these rows stands, in a fixed order. */
export async function standingConflicts(db: Queryable, org: string, memoryIds: readonly string[]): Promise<StandingConflict[]> {
  if (memoryIds.length === 0) return []
  const { rows } = await sql<StandingConflict>`
    SELECT p.row_id AS "rowId", p.peer_id AS "peerId", p.reason FROM (
      SELECT org, pair_id, row_id, peer_id, reason FROM loom.memory_pair
        WHERE org = ${org} AND state = 'open' AND kind = 'conflict' AND peer_version IS NULL AND row_id = any(${[...memoryIds]}::text[])
      UNION
      SELECT org, pair_id, row_id, peer_id, reason FROM loom.memory_pair
        WHERE org = ${org} AND state = 'open' AND kind = 'conflict' AND peer_version IS NULL AND peer_id = any(${[...memoryIds]}::text[])
    ) AS p
    JOIN loom.memory a ON a.org = p.org AND a.memory_id = p.row_id AND a.erased_by = '' AND a.status IN ('active', 'conflicted', 'duplicate')
    JOIN loom.memory b ON b.org = p.org AND b.memory_id = p.peer_id AND b.erased_by = '' AND b.status IN ('active', 'conflicted', 'duplicate')
    ORDER BY p.pair_id`.execute(db)
  return rows
}
