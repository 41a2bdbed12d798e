import { sql, type RawBuilder } from 'kysely'
import type { Queryable } from '../db/database.ts'
import { notExpired } from './not-expired.ts'
import type { PairRow } from './pairs.ts'

/** Which pairs of a namespace a list is about. Fields left out do not narrow. */
export interface PairFilter {
  readonly org: string
  readonly namespace: string
  /** Key, agent, user or session of either side. */
  readonly key?: string | undefined
  readonly agent?: string | undefined
  readonly userId?: string | undefined
  readonly sessionId?: string | undefined
  /** Both sides lie inside what the token is bound to. */
  readonly bound: { readonly user_id?: string; readonly session_id?: string }
  readonly origin?: string | undefined
  readonly now: Date
  /** Further conditions over p (pair), r (row) and q (peer). */
  readonly conditions: readonly RawBuilder<boolean>[]
}

/** A side that is served: what an open pair needs both to be. */
export const liveSide = (side: 'r' | 'q', now: Date): RawBuilder<boolean> => {
  const row = sql.raw(side)
  return sql<boolean>`(${row}.status IN ('active', 'conflicted', 'duplicate') AND ${row}.erased_by = ''
    AND ${notExpired(side, now)})`
}

export const isOpen = (now: Date): RawBuilder<boolean> => sql<boolean>`p.state = 'open' AND ${liveSide('r', now)} AND ${liveSide('q', now)}`

const FROM = sql`FROM loom.memory_pair p
  JOIN loom.memory r ON r.org = p.org AND r.memory_id = p.row_id
  JOIN loom.memory q ON q.org = p.org AND q.memory_id = p.peer_id`

function where(filter: PairFilter): RawBuilder<unknown> {
  const either = (column: string, value: string | undefined): RawBuilder<boolean>[] =>
    value === undefined ? [] : [sql<boolean>`(r.${sql.raw(column)} = ${value} OR q.${sql.raw(column)} = ${value})`]
  const both = (column: string, value: string | undefined): RawBuilder<boolean>[] =>
    value === undefined ? [] : [sql<boolean>`r.${sql.raw(column)} = ${value} AND q.${sql.raw(column)} = ${value}`]
  const conditions = [
    sql<boolean>`p.org = ${filter.org} AND p.namespace = ${filter.namespace} AND r.erased_by = '' AND q.erased_by = ''`,
    ...either('memory_key', filter.key),
    ...either('agent', filter.agent),
    ...either('user_id', filter.userId),
    ...either('session_id', filter.sessionId),
    ...both('user_id', filter.bound.user_id),
    ...both('session_id', filter.bound.session_id),
    ...(filter.origin === undefined ? [] : [sql<boolean>`p.origin = ${filter.origin}`]),
    ...filter.conditions,
  ]
  return sql`WHERE ${sql.join(conditions, sql` AND `)}`
}

/** One page of pairs, newest first; `after` is the place of the last one before it. */
export async function pagePairs(db: Queryable, filter: PairFilter, limit: number, after: readonly unknown[] | null): Promise<PairRow[]> {
  const [at, id] = (after ?? []) as [string?, string?]
  const beyond = at === undefined ? [] : [sql<boolean>`(p.at, p.pair_id) < (${at}::timestamptz, ${id})`]
  const { rows } = await sql<PairRow>`SELECT p.* ${FROM} ${where({ ...filter, conditions: [...filter.conditions, ...beyond] })}
    ORDER BY p.at DESC, p.pair_id DESC LIMIT ${limit}`.execute(db)
  return rows
}

/** How many pairs there are of each kind that `kind` tells. */
export async function countPairs(db: Queryable, filter: PairFilter, kind: RawBuilder<string>): Promise<Map<string, number>> {
  const { rows } = await sql<{
    kind: string
    count: number
  }>`SELECT ${kind} AS kind, count(*)::int AS count ${FROM} ${where(filter)} GROUP BY 1`.execute(db)
  return new Map(rows.map((row) => [row.kind, row.count]))
}

/** Open pairs of these rows with a live other side, by row. */
export async function openPairsOf(db: Queryable, org: string, memoryIds: readonly string[], now: Date): Promise<PairRow[]> {
  if (memoryIds.length === 0) return []
  const ids = [...memoryIds]
  const { rows } = await sql<PairRow>`SELECT p.* ${FROM}
    WHERE p.org = ${org} AND (p.row_id = any(${ids}::text[]) OR p.peer_id = any(${ids}::text[])) AND ${isOpen(now)}
    ORDER BY p.at DESC, p.pair_id`.execute(db)
  return rows
}
