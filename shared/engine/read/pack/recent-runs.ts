import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import type { contextPack } from '../../../contract/ops/context/pack.ts'
import type { ReadContext } from '../../handler.ts'
import { runOf, runView, seenBy, type Run } from '../../store/runs.ts'
import { startOf, type Item } from './items.ts'

type ShownRun = Output<typeof contextPack>['runs'][number]

/** Characters of what a run said at its end. */
const SAID = 600

/** The latest runs that were begun by name, newest first; not the caller's own. */
export async function recentRuns(limit: number, own: string, { db, identity, given, caller }: ReadContext): Promise<Run[]> {
  if (limit === 0) return []
  const named = Object.entries({ agent: given.agent, user_id: given.user_id, session_id: given.session_id })
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => sql<boolean>`${sql.ref(`r.${field}`)} = ${value}`)
  const conditions = [sql<boolean>`NOT r.implicit`, sql<boolean>`r.run_id <> ${own}`, seenBy(caller, 'r'), ...named]
  const { rows } = await sql<Run>`SELECT r.* FROM loom.run r WHERE r.org = ${identity.org} AND r.namespace = ${identity.namespace}
    AND ${sql.join(conditions, sql` AND `)} ORDER BY r.started_at DESC, r.run_id DESC LIMIT ${limit}`.execute(db)
  return rows
}

export function shownRun(run: Run): ShownRun {
  const { run_id, goal, status, outcome, grade, tool_calls, files, completed_at } = runView(run, 0)
  return { run_id, goal, status, outcome, grade, tool_calls, files, completed_at }
}

export function runItem(run: Run): Item {
  const view = runView(run, 0)
  const state = view.grade === null ? view.status : `${view.status}, graded ${view.grade}`
  const said = view.final_response || view.reflection
  return {
    ref: view.run_id,
    kind: 'run',
    title: view.goal || view.run_id,
    text: said === '' ? state : `${state}. ${startOf(said, SAID)}`,
    memory_id: '',
    at: view.completed_at ?? view.started_at,
    why: ['latest'],
    flags: [],
  }
}

/** Keys that a run was answered already: they come last. */
export async function recalledBy(runId: string, context: ReadContext): Promise<ReadonlySet<string>> {
  if (runId === '') return new Set()
  await context.parts.ledger.flush()
  const { db, identity, caller } = context
  const run = await runOf(db, identity, runId)
  const { rows } = await sql<{ key: string }>`SELECT DISTINCT k.key FROM loom.run_event e CROSS JOIN LATERAL unnest(e.memory_keys) AS k(key)
    WHERE e.org = ${identity.org} AND e.namespace = ${identity.namespace} AND e.run_id = ${runId} AND e.kind = 'op' AND e.ok
      AND e.name IN ('memory.search', 'memory.ask', 'memory.get', 'context.pack', 'search') AND ${seenBy(caller, 'e')}`.execute(db)
  return new Set([...rows.map((row) => row.key), ...(run?.recalled_keys ?? [])])
}
