import { sql, type RawBuilder } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { Head } from './memories.ts'

export type Review = 'pending' | 'kept' | 'rejected'

/** A learning waits for its review: it is new, or says something else than what was reviewed. */
export async function awaitReview(tx: Tx, head: Pick<Head, 'org' | 'namespace' | 'memory_id' | 'content_sha256'>): Promise<void> {
  const { org, namespace, memory_id, content_sha256 } = head
  await sql`INSERT INTO loom.learning_review AS r (org, namespace, memory_id, content_sha256)
    VALUES (${org}, ${namespace}, ${memory_id}, ${content_sha256}) ON CONFLICT (org, memory_id) DO UPDATE
    SET content_sha256 = excluded.content_sha256, review = 'pending', reviewed_by = '', reviewed_at = NULL, reason = ''
    WHERE r.content_sha256 <> excluded.content_sha256`.execute(tx)
}

/** How a learning was reviewed as it now reads; null for a row that is none. */
export async function reviewOf(db: Queryable, head: Pick<Head, 'org' | 'memory_id' | 'content_sha256'>): Promise<Review | null> {
  const row = await db
    .selectFrom('learning_review')
    .select(['review', 'content_sha256'])
    .where('org', '=', head.org)
    .where('memory_id', '=', head.memory_id)
    .executeTakeFirst()
  if (!row) return null
  return row.content_sha256 === head.content_sha256 ? (row.review as Review) : 'pending'
}

export async function writeReview(
  tx: Tx,
  head: Pick<Head, 'org' | 'memory_id' | 'content_sha256'>,
  { review, by, at, reason }: { readonly review: Review; readonly by: string; readonly at: Date; readonly reason: string },
): Promise<void> {
  await tx
    .updateTable('learning_review')
    .set({ review, reviewed_by: by, reviewed_at: at, reason, content_sha256: head.content_sha256 })
    .where('org', '=', head.org)
    .where('memory_id', '=', head.memory_id)
    .execute()
}

/** Review of a learning `r` of the row `m`, as the row now reads. */
const REVIEW = sql<Review>`(CASE WHEN m.status = 'rejected' THEN 'rejected' WHEN r.content_sha256 <> m.content_sha256 THEN 'pending' ELSE r.review END)`
const LEARNINGS = sql`loom.learning_review r JOIN loom.memory m ON m.org = r.org AND m.memory_id = r.memory_id`
const SHOWN = sql`m.status IN ('active', 'conflicted', 'duplicate', 'rejected')`

export interface Learning extends Head {
  readonly review: Review
  readonly reviewed_by: string
  readonly reviewed_at: Date | null
}

export async function learningsPage(
  db: Queryable,
  inScope: RawBuilder<boolean>,
  review: Review,
  after: readonly string[] | null,
  limit: number,
): Promise<Learning[]> {
  const beyond = after ? sql<boolean>`(m.created_at, m.memory_id) < (${after[0]}::timestamptz, ${after[1]})` : sql<boolean>`true`
  const { rows } = await sql<Learning>`SELECT m.*, ${REVIEW} AS review, r.reviewed_by, r.reviewed_at FROM ${LEARNINGS}
    WHERE ${inScope} AND ${SHOWN} AND ${REVIEW} = ${review} AND ${beyond} ORDER BY m.created_at DESC, m.memory_id DESC LIMIT ${limit}`.execute(
    db,
  )
  return rows
}

export async function learningCounts(db: Queryable, inScope: RawBuilder<boolean>): Promise<Record<Review, number>> {
  const { rows } = await sql<{ review: Review; count: number }>`SELECT ${REVIEW} AS review, count(*)::int AS count FROM ${LEARNINGS}
    WHERE ${inScope} AND ${SHOWN} GROUP BY 1`.execute(db)
  return { pending: 0, kept: 0, rejected: 0, ...Object.fromEntries(rows.map((row) => [row.review, row.count])) }
}

/** Keys of the live rows that each learning rests on. */
export async function evidenceOf(db: Queryable, org: string, ids: readonly string[]): Promise<Map<string, string[]>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<{
    from_id: string
    keys: string[]
  }>`SELECT l.from_id, array_agg(DISTINCT m.memory_key ORDER BY m.memory_key) AS keys
    FROM loom.memory_link l JOIN loom.memory m ON m.org = l.org AND m.memory_id = l.to_id
    WHERE l.org = ${org} AND l.from_id = any(${[...ids]}::text[]) AND l.relation = 'evidence' AND m.status IN ('active', 'conflicted', 'duplicate')
    GROUP BY l.from_id`.execute(db)
  return new Map(rows.map((row) => [row.from_id, row.keys]))
}
