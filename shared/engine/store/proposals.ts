import { sql, type RawBuilder } from 'kysely'
import type { Queryable } from '../db/database.ts'
import type { Head } from './memories.ts'
import { notExpired } from './not-expired.ts'

/** Which proposals of a namespace a list is about. Fields left out do not narrow. */
export interface ProposalFilter {
  readonly org: string
  readonly namespace: string
  readonly key?: string | undefined
  readonly agent?: string | undefined
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
  readonly now: Date
}

/** What tells the items of proposals from those of pairs, in one queue of both. */
export const PROPOSAL_ITEM = 'proposal:'

function where(filter: ProposalFilter): RawBuilder<unknown> {
  const named = (
    [
      ['memory_key', filter.key],
      ['agent', filter.agent],
      ['user_id', filter.userId],
      ['session_id', filter.sessionId],
    ] as const
  ).filter(([, value]) => value !== undefined)
  const conditions = [
    sql<boolean>`m.org = ${filter.org} AND m.namespace = ${filter.namespace} AND m.status = 'proposed' AND m.erased_by = ''`,
    notExpired('m', filter.now),
    ...named.map(([column, value]) => sql<boolean>`${sql.ref(`m.${column}`)} = ${value}`),
  ]
  return sql`WHERE ${sql.join(conditions, sql` AND `)}`
}

/** One page of proposals, newest first; `after` is the place of the last item before it. */
export async function pageProposals(
  db: Queryable,
  filter: ProposalFilter,
  limit: number,
  after: readonly unknown[] | null,
): Promise<Head[]> {
  const [at, id] = (after ?? []) as [string?, string?]
  const beyond =
    at === undefined ? sql`` : sql`AND (m.updated_at, ${PROPOSAL_ITEM}::text || m.memory_id) < (${at}::timestamptz, ${id}::text)`
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m ${where(filter)} ${beyond}
    ORDER BY m.updated_at DESC, m.memory_id DESC LIMIT ${limit}`.execute(db)
  return rows
}

export async function countProposals(db: Queryable, filter: ProposalFilter): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*)::int AS count FROM loom.memory m ${where(filter)}`.execute(db)
  return rows[0]?.count ?? 0
}

/** How many proposals there are under each of these keys. */
export async function holdersOf(db: Queryable, filter: ProposalFilter, keys: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await sql<{ key: string; count: number }>`SELECT m.memory_key AS key, count(*)::int AS count FROM loom.memory m
    ${where(filter)} AND m.memory_key = any(${[...keys]}::text[]) GROUP BY 1`.execute(db)
  return new Map(rows.map((row) => [row.key, row.count]))
}

/** A proposal and a live row that it contradicts, as the judge saw them while it was on trial. */
export interface Contradiction {
  readonly row_id: string
  readonly peer_id: string
  readonly relation: string
  readonly similarity: number
  readonly confidence: number
  readonly reason: string
  readonly unsure: boolean
}

/** What was noted against proposals and still lives, nearest first. */
export async function contradictionsOf(db: Queryable, org: string, memoryIds: readonly string[], now: Date): Promise<Contradiction[]> {
  if (memoryIds.length === 0) return []
  const { rows } = await sql<Contradiction>`SELECT p.row_id, p.peer_id, p.relation, p.similarity, p.confidence, p.reason, p.unsure
    FROM loom.memory_pair p JOIN loom.memory q ON q.org = p.org AND q.memory_id = p.peer_id
    WHERE p.org = ${org} AND p.row_id = any(${[...memoryIds]}::text[]) AND p.state = 'open' AND p.kind = 'conflict'
      AND p.peer_id <> p.row_id AND q.erased_by = '' AND q.status IN ('active', 'conflicted', 'duplicate')
      AND ${notExpired('q', now)}
    ORDER BY p.similarity DESC, p.peer_id`.execute(db)
  return rows
}

/** A retired row was on trial when it was retired. */
export async function wasProposed(db: Queryable, { org, memory_id }: Pick<Head, 'org' | 'memory_id'>): Promise<boolean> {
  const { rows } = await sql<{ status: string }>`SELECT v.status FROM loom.memory_version v
    WHERE v.org = ${org} AND v.memory_id = ${memory_id} AND NOT v.lost AND v.status NOT IN ('tombstoned', 'rejected')
    ORDER BY v.version DESC LIMIT 1`.execute(db)
  return rows[0]?.status === 'proposed'
}
