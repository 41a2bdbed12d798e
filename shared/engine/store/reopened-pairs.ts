import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'

const live = (
  alias: string,
  now: Date,
) => sql`${sql.ref(`${alias}.status`)} IN ('active', 'conflicted', 'duplicate') AND ${sql.ref(`${alias}.erased_by`)} = ''
  AND NOT coalesce(${sql.ref(`${alias}.valid_to`)} <= ${now} OR (${sql.ref(`${alias}.expires_at`)} <= ${now} AND ${sql.ref(`${alias}.on_expire`)} <> 'demote'), false)`

/**
 * Opens the pairs again that found the flags of rows put back to a past state: both sides live, each of the content that
 * was judged. Without its pair a flag means nothing, and the conflict resolver would clear it.
 */
export async function reopenFlagged(tx: Tx, org: string, memoryIds: readonly string[], now: Date): Promise<void> {
  await sql`UPDATE loom.memory_pair p SET state = 'open', resolution = '', settled_by = '', settled_at = NULL, undo = ''
    FROM loom.memory r, loom.memory q
    WHERE p.org = ${org} AND p.state <> 'open' AND (p.row_id = any(${[...memoryIds]}::text[]) OR p.peer_id = any(${[...memoryIds]}::text[]))
      AND r.org = p.org AND r.memory_id = p.row_id AND r.content_sha256 = p.row_sha256 AND ${live('r', now)}
      AND q.org = p.org AND q.memory_id = p.peer_id AND q.content_sha256 = p.peer_sha256 AND ${live('q', now)}
      AND ((p.kind = 'conflict' AND r.status = 'conflicted') OR (p.kind = 'duplicate' AND r.status = 'duplicate' AND r.duplicate_of = q.memory_id))`.execute(
    tx,
  )
}
