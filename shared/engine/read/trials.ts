import { sql } from 'kysely'
import type { Caller } from '../caller.ts'
import type { Queryable } from '../db/database.ts'
import type { Head } from '../store/memories.ts'
import { seenBy, type Run } from '../store/runs.ts'

/**
 * The trial of a proposal is told from the runs of its namespace: those that ended, completed or failed, after it was
 * proposed, and used its key (PRO009, PRO010). There is no other record of it: a grade that changes, or a run that is
 * erased, changes the trial.
 */

/** Since when the proposal says what it says. Its versions may come after the row, on a desktop. */
const PROPOSED_AT = sql<Date>`coalesce((SELECT min(v.updated_at) FROM loom.memory_version v
  WHERE v.org = m.org AND v.memory_id = m.memory_id AND NOT v.lost AND v.status = 'proposed' AND v.content_sha256 = m.content_sha256
    AND v.version > coalesce((SELECT max(w.version) FROM loom.memory_version w WHERE w.org = m.org AND w.memory_id = m.memory_id
      AND NOT w.lost AND (w.status <> 'proposed' OR w.content_sha256 <> m.content_sha256)), 0)), m.updated_at)`

const USED = sql<boolean>`r.org = m.org AND r.namespace = m.namespace AND r.memories_used @> ARRAY[m.memory_key]
  AND r.status IN ('completed', 'failed') AND r.completed_at > ${PROPOSED_AT}`

/** How a proposal fared in the runs that relied on it. */
export interface Tally {
  readonly passes: number
  readonly fails: number
  readonly ungraded: number
}

const TALLY = sql`count(r.run_id) FILTER (WHERE r.grade = 'pass')::int AS passes,
  count(r.run_id) FILTER (WHERE r.grade = 'fail')::int AS fails, count(r.run_id) FILTER (WHERE r.grade = '')::int AS ungraded`

/** Of proposals by their id: the tally of the runs that the caller may see. */
export async function talliesOf(db: Queryable, org: string, memoryIds: readonly string[], caller: Caller): Promise<Map<string, Tally>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<Tally & { memory_id: string }>`SELECT m.memory_id, ${TALLY}
    FROM loom.memory m LEFT JOIN loom.run r ON ${USED} AND ${seenBy(caller, 'r')}
    WHERE m.org = ${org} AND m.memory_id = any(${[...memoryIds]}::text[]) GROUP BY m.memory_id`.execute(db)
  return new Map(rows.map(({ memory_id, ...tally }) => [memory_id, tally]))
}

const MOST_RUNS = 20

export interface GradedRun {
  readonly memory_id: string
  readonly run_id: string
  readonly grade: 'pass' | 'fail'
  readonly graded_at: Date | null
  readonly graded_by: string
  readonly goal: string
}

/** The newest graded runs of each proposal that the caller may see. */
export async function gradedRunsOf(db: Queryable, org: string, memoryIds: readonly string[], caller: Caller): Promise<GradedRun[]> {
  if (memoryIds.length === 0) return []
  const { rows } = await sql<GradedRun>`SELECT m.memory_id, g.run_id, g.grade, g.graded_at, g.graded_by, g.goal
    FROM loom.memory m CROSS JOIN LATERAL (SELECT r.run_id, r.grade, r.graded_at, r.graded_by, r.goal FROM loom.run r
      WHERE ${USED} AND r.grade <> '' AND ${seenBy(caller, 'r')} ORDER BY r.graded_at DESC, r.run_id LIMIT ${MOST_RUNS}) AS g
    WHERE m.org = ${org} AND m.memory_id = any(${[...memoryIds]}::text[]) ORDER BY g.graded_at DESC, g.run_id`.execute(db)
  return rows
}

/** A proposal that a run relied on, with the tally of its whole trial. */
export interface Trial {
  readonly head: Head
  readonly passes: number
  readonly fails: number
}

/** The trials of every proposal of a run's keys that the caller may see, whoever ran the runs. */
export async function trialsOf(db: Queryable, run: Run, caller: Caller): Promise<Trial[]> {
  if (run.memories_used.length === 0) return []
  const { rows } = await sql<Head & Tally>`SELECT m.*, t.passes, t.fails FROM loom.memory m
    CROSS JOIN LATERAL (SELECT ${TALLY} FROM loom.run r WHERE ${USED}) AS t
    WHERE m.org = ${run.org} AND m.namespace = ${run.namespace} AND m.memory_key = any(${run.memories_used}::text[])
      AND m.status = 'proposed' AND m.erased_by = '' AND ${seenBy(caller, 'm')} ORDER BY m.memory_key, m.memory_id`.execute(db)
  return rows.map(({ passes, fails, ungraded: _ungraded, ...head }) => ({ head, passes, fails }))
}
