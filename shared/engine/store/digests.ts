import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Period } from '../../domain/digest/period.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { DigestTables } from '../db/digest-tables.ts'
import type { Head } from './memories.ts'

export type Digest = Selectable<DigestTables['memory_digest']>

/** Claims that a digest quotes. */
const MOST_CLAIMS = 10

/** A version of the row that sets a status and nothing else is no revision of what it says. */
const CHANGED = sql`count(*) FILTER (WHERE`

/** Places in which something was written in a period, and that have no digest of it yet. */
export async function placesWithout(
  db: Queryable,
  period: Period,
  start: Date,
  end: Date,
  limit: number,
): Promise<{ org: string; namespace: string; user_id: string }[]> {
  const { rows } = await sql<{
    org: string
    namespace: string
    user_id: string
  }>`SELECT DISTINCT v.org, v.namespace, v.user_id FROM loom.memory_version v
    WHERE v.updated_at >= ${start} AND v.updated_at < ${end} AND v.erased_by = '' AND NOT v.lost
      AND NOT EXISTS (SELECT 1 FROM loom.memory_digest d WHERE d.org = v.org AND d.namespace = v.namespace AND d.user_id = v.user_id
        AND d.period = ${period} AND d.period_start = ${start})
    ORDER BY v.org, v.namespace, v.user_id LIMIT ${limit}`.execute(db)
  return rows
}

/**
 * Writes the digest of one place and period, once: counts, and the ids of the new claims that were most recalled or
 * restated. High rows, proposals and external rows that nobody attested are neither counted nor named.
 */
export async function writeDigest(
  tx: Tx,
  place: { readonly org: string; readonly namespace: string; readonly user_id: string },
  period: { readonly name: Period; readonly start: Date; readonly end: Date },
  digestId: string,
  now: Date,
): Promise<void> {
  const { org, namespace, user_id } = place
  const { name, start, end } = period
  await sql`WITH told AS (
      SELECT v.*, v.version = min(v.version) OVER (PARTITION BY v.memory_id) AS is_first, lag(v.content_sha256) OVER w AS before, lag(v.status) OVER w AS status_before
      FROM loom.memory_version v WHERE v.org = ${org} AND v.namespace = ${namespace} AND v.user_id = ${user_id} AND v.erased_by = '' AND NOT v.lost
        AND v.updated_at < ${end}
      WINDOW w AS (PARTITION BY v.memory_id ORDER BY v.version)),
    changed AS (
      SELECT t.*, m.status AS head_status, m.sensitivity AS head_sensitivity, m.source_class AS head_class, m.verified_sha256, m.content_sha256 AS head_sha256, m.verified_by
      FROM told t JOIN loom.memory m ON m.org = t.org AND m.memory_id = t.memory_id
      WHERE t.updated_at >= ${start} AND t.sensitivity <> 'high' AND m.sensitivity <> 'high' AND t.status <> 'proposed' AND m.status <> 'proposed'
        AND (m.source_class <> 'external' OR (m.verified_by <> '' AND m.verified_sha256 = m.content_sha256))),
    new AS (
      SELECT DISTINCT c.memory_id, coalesce(u.recall_count, 0) + coalesce(u.reinforcement_count, 0) AS used
      FROM changed c LEFT JOIN loom.memory_usage u ON u.org = c.org AND u.memory_id = c.memory_id
      WHERE c.is_first AND c.head_status IN ('active', 'conflicted'))
    INSERT INTO loom.memory_digest (org, digest_id, namespace, user_id, period, period_start, period_end, memory_ids, written, revised, retired, deleted, at)
    SELECT ${org}, ${digestId}, ${namespace}, ${user_id}, ${name}, ${start}, ${end},
      ARRAY(SELECT memory_id FROM new ORDER BY used DESC, memory_id LIMIT ${MOST_CLAIMS}),
      ${CHANGED} c.is_first), ${CHANGED} NOT c.is_first AND c.content_sha256 IS DISTINCT FROM c.before AND c.status NOT IN ('tombstoned', 'superseded', 'rejected')),
      ${CHANGED} c.status IN ('superseded', 'rejected') AND c.status IS DISTINCT FROM c.status_before),
      (SELECT count(*) FROM loom.memory d WHERE d.org = ${org} AND d.namespace = ${namespace} AND d.user_id = ${user_id} AND d.erased_by = ''
        AND d.tombstoned_at >= ${start} AND d.tombstoned_at < ${end} AND d.sensitivity <> 'high'),
      ${now} FROM changed c
    ON CONFLICT (org, namespace, user_id, period, period_start) DO NOTHING`.execute(tx)
}

/** Digests of a period that `inScope` (over `loom.memory_digest d`) lets through, newest first. */
export async function digestsPage(
  db: Queryable,
  inScope: RawBuilder<boolean>,
  after: readonly string[] | null,
  limit: number,
): Promise<Digest[]> {
  const beyond = after ? sql<boolean>`(d.period_start, d.digest_id) < (${after[0]}::timestamptz, ${after[1]})` : sql<boolean>`true`
  const { rows } = await sql<Digest>`SELECT d.* FROM loom.memory_digest d WHERE ${inScope} AND ${beyond}
    ORDER BY d.period_start DESC, d.digest_id DESC LIMIT ${limit}`.execute(db)
  return rows
}

/** Digests that name a row, newest first. */
export async function digestsNaming(head: Pick<Head, 'org' | 'memory_id' | 'user_id'>, limit: number, db: Queryable): Promise<Digest[]> {
  const { rows } =
    await sql<Digest>`SELECT d.* FROM loom.memory_digest d WHERE d.org = ${head.org} AND d.memory_ids @> ARRAY[${head.memory_id}]::text[]
    ORDER BY d.period_start DESC, d.digest_id DESC LIMIT ${limit}`.execute(db)
  return rows
}
