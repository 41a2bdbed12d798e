import { sql } from 'kysely'
import type { Output } from '../../contract/declare.ts'
import type { runGrade } from '../../contract/ops/run/grade.ts'
import type { Caller } from '../caller.ts'
import type { Queryable } from '../db/database.ts'
import { seenBy, type Run } from '../store/runs.ts'

type Trial = Output<typeof runGrade>['trials'][number]

/**
 * The trials of every proposal that a run used: runs of its namespace that ended, completed or failed, after it was
 * proposed, used its key, and were graded (PRO009, PRO010). Nothing is decided here (PRO011).
 */
export async function trialsOf(db: Queryable, run: Run, caller: Caller): Promise<Trial[]> {
  if (run.memories_used.length === 0) return []
  const { rows } = await sql<Omit<Trial, 'decision'>>`SELECT m.memory_key,
      count(r.run_id) FILTER (WHERE r.grade = 'pass')::int AS passes, count(r.run_id) FILTER (WHERE r.grade = 'fail')::int AS fails
    FROM loom.memory m LEFT JOIN loom.run r ON r.org = m.org AND r.namespace = m.namespace AND r.memories_used @> ARRAY[m.memory_key]
      AND r.status IN ('completed', 'failed') AND r.grade <> '' AND r.completed_at > m.updated_at
    WHERE m.org = ${run.org} AND m.namespace = ${run.namespace} AND m.memory_key = any(${run.memories_used}::text[])
      AND m.status = 'proposed' AND m.erased_by = '' AND ${seenBy(caller, 'm')}
    GROUP BY m.memory_id, m.memory_key ORDER BY m.memory_key`.execute(db)
  return rows.map((row) => ({ ...row, decision: 'open' as const }))
}
