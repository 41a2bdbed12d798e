import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { Head } from './memories.ts'
import { notExpired } from './not-expired.ts'
import type { PairRow } from './pairs.ts'

/** What the conflict resolver looks for, over all orgs: the search for due work of a worker. */

const live = (alias: string) =>
  sql`(${sql.ref(`${alias}.status`)} IN ('active', 'conflicted', 'duplicate') AND ${sql.ref(`${alias}.erased_by`)} = '')`
/** Open pairs of which a side is gone, or holds another content than the one that was judged. Those of a proposal wait for its decision. */
export async function changedPairs(db: Queryable, now: Date, limit: number): Promise<PairRow[]> {
  const { rows } = await sql<PairRow>`SELECT p.* FROM loom.memory_pair p
    LEFT JOIN loom.memory r ON r.org = p.org AND r.memory_id = p.row_id AND ${live('r')} AND ${notExpired('r', now)}
    LEFT JOIN loom.memory q ON q.org = p.org AND q.memory_id = p.peer_id AND ${live('q')} AND ${notExpired('q', now)}
    WHERE p.state = 'open' AND (r.memory_id IS NULL OR q.memory_id IS NULL
      OR r.content_sha256 <> p.row_sha256 OR (p.peer_version IS NULL AND q.content_sha256 <> p.peer_sha256))
      AND NOT EXISTS (SELECT 1 FROM loom.memory t WHERE t.org = p.org AND t.memory_id = p.row_id AND t.status = 'proposed' AND t.erased_by = '')
    ORDER BY p.org, p.pair_id LIMIT ${limit}`.execute(db)
  return rows
}

/** Rows flagged as conflicted by pairs of which none is open any more. */
export async function unfoundedFlags(db: Queryable, now: Date, limit: number): Promise<Pick<Head, 'org' | 'memory_id'>[]> {
  const { rows } = await sql<Pick<Head, 'org' | 'memory_id'>>`SELECT m.org, m.memory_id FROM loom.memory m
    WHERE m.status = 'conflicted' AND m.erased_by = ''
      AND EXISTS (SELECT 1 FROM loom.memory_pair p WHERE p.org = m.org AND p.row_id = m.memory_id AND p.kind = 'conflict')
      AND NOT EXISTS (SELECT 1 FROM loom.memory_pair p JOIN loom.memory q ON q.org = p.org AND q.memory_id = p.peer_id
        WHERE p.org = m.org AND p.row_id = m.memory_id AND p.kind = 'conflict' AND p.state = 'open' AND ${live('q')} AND ${notExpired('q', now)})
    ORDER BY m.org, m.memory_id LIMIT ${limit}`.execute(db)
  return rows
}

/** Canonical rows that are gone and still have duplicates, each with a namespace of those. */
export async function orphanedCanonicals(db: Queryable, limit: number): Promise<{ org: string; namespace: string; id: string }[]> {
  const { rows } = await sql<{
    org: string
    namespace: string
    id: string
  }>`SELECT d.org, min(d.namespace) AS namespace, d.duplicate_of AS id FROM loom.memory d
    LEFT JOIN loom.memory c ON c.org = d.org AND c.memory_id = d.duplicate_of AND c.erased_by = ''
    WHERE d.status = 'duplicate' AND d.erased_by = '' AND (c.memory_id IS NULL OR c.status IN ('tombstoned', 'rejected', 'superseded'))
    GROUP BY d.org, d.duplicate_of ORDER BY d.org, d.duplicate_of LIMIT ${limit}`.execute(db)
  return rows
}

/** Active rows written after a version, oldest first, of the kinds that are judged. */
export async function writtenSince(db: Queryable, version: bigint, limit: number): Promise<Head[]> {
  const { rows } = await sql<Head>`SELECT * FROM loom.memory
    WHERE version > ${version.toString()}::int8 AND status = 'active' AND erased_by = '' AND sensitivity <> 'high' AND memory_type <> 'episodic'
      AND value IS NOT NULL AND NOT redacted
    ORDER BY version LIMIT ${limit}`.execute(db)
  return rows
}
