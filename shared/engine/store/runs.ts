import { sql, type Insertable, type RawBuilder, type Selectable } from 'kysely'
import { parseJson } from '../../contract/json.ts'
import { REGISTRY } from '../../contract/registry.ts'
import type { OpContract } from '../../contract/declare.ts'
import type { RunView } from '../../contract/run.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Caller } from '../caller.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { boundOf, type Identity } from '../identity.ts'
import { adoptEvents } from './run-events.ts'
import { writeAudit } from './audit.ts'
import type { WriteContext } from '../handler.ts'
import { lockKeys } from './memories.ts'
import { touchNamespace } from './namespaces.ts'
import { provenanceOf } from './provenance.ts'

export type Run = Selectable<Tables['run']>
type Place = Pick<Identity, 'org' | 'namespace'>

export async function runOf(db: Queryable, { org, namespace }: Place, runId: string): Promise<Run | null> {
  const row = await db
    .selectFrom('run')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('run_id', '=', runId)
    .executeTakeFirst()
  return row ?? null
}

/** When what a call tells happened: a pushed one by the clock of its device. */
export const toldAt = ({ tx, now }: Pick<WriteContext, 'tx' | 'now'>): Date => provenanceOf(tx)?.madeAt ?? now

/** The run, held against every other call on it until the transaction ends; null: there is none, and the name is held. */
export async function holdRun({ tx, identity, parts }: WriteContext, runId: string): Promise<Run | null> {
  await lockKeys(tx, parts.database.kind, [`run:${identity.org}/${identity.namespace}/${runId}`])
  return runOf(tx, identity, runId)
}

/** True for a run that a call ended: one that only lapsed may still be completed. */
export const isOver = (run: Run): boolean => run.status !== 'running' && !run.lapsed

/** What a run begins as; its requests so far become its first events. */
export async function createRun(
  tx: Tx,
  run: Omit<Insertable<Tables['run']>, 'last_event_at' | 'completed_at' | 'duration_ms' | 'confidence' | 'graded_at'>,
): Promise<Run> {
  await touchNamespace(tx, run.org, run.namespace, run.started_at)
  const none = { completed_at: null, duration_ms: null, confidence: null, graded_at: null }
  await tx
    .insertInto('run')
    .values({ ...run, ...none, last_event_at: run.started_at })
    .execute()
  await adoptEvents(tx, run, run.run_id)
  const made = await runOf(tx, run, run.run_id)
  if (!made) throw new Error('the run was not made')
  return made
}

export async function writeRun(tx: Tx, { org, namespace, run_id }: Run, changes: Partial<Insertable<Tables['run']>>): Promise<void> {
  await tx.updateTable('run').set(changes).where('org', '=', org).where('namespace', '=', namespace).where('run_id', '=', run_id).execute()
}

/** One audit row of a changed run: ids, and nothing that was said. */
export async function auditRun(
  op: string,
  run: Pick<Run, 'org' | 'namespace' | 'run_id' | 'agent' | 'user_id' | 'session_id'>,
  { tx, now, actor, caller }: WriteContext,
): Promise<void> {
  const { org, namespace, run_id, agent, user_id, session_id } = run
  const subject = `run:${agent}/${user_id}/${session_id}/${run_id}`
  await writeAudit(tx, [{ op, at: now, org, actor, requestId: caller.requestId, subject, namespace, agent, user_id, session_id, run_id }])
}

/** A condition on rows with an identity: those that a bound token may see. */
export function seenBy(caller: Caller, table: string): RawBuilder<boolean> {
  const bound = Object.entries(boundOf(caller)).map(([field, value]) => sql<boolean>`${sql.ref(`${table}.${field}`)} = ${value}`)
  return bound.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(bound, sql` AND `)})`
}

/** Operations that write memory rows, in the ledger. */
export const writers = (): string[] =>
  Object.values<OpContract>(REGISTRY)
    .filter((op) => op.kind === 'write' && op.audited && op.name.startsWith('memory.') && !op.name.startsWith('memory.outcome'))
    .map((op) => op.name)

/** How many memories each run wrote: by the run that their versions name; of an MCP session by what it asked for. */
export async function writtenCounts(
  db: Queryable,
  { org, namespace }: Place,
  runs: readonly Run[],
  caller: Caller,
): Promise<Map<string, number>> {
  const named = runs.filter((run) => !run.implicit).map((run) => run.run_id)
  const sessions = runs.filter((run) => run.implicit).map((run) => run.run_id)
  const counts = new Map<string, number>()
  if (named.length > 0) {
    const { rows } = await sql<{
      run_id: string
      written: number
    }>`SELECT v.run_id, count(DISTINCT v.memory_id)::int AS written FROM loom.memory_version v
      WHERE v.org = ${org} AND v.namespace = ${namespace} AND v.run_id <> '' AND v.run_id = any(${named}::text[]) AND v.erased_by = ''
        AND ${seenBy(caller, 'v')} GROUP BY v.run_id`.execute(db)
    for (const row of rows) counts.set(row.run_id, row.written)
  }
  if (sessions.length > 0) {
    const { rows } = await sql<{ run_id: string; written: number }>`SELECT e.run_id, count(DISTINCT k.key)::int AS written
      FROM loom.run_event e CROSS JOIN LATERAL unnest(e.memory_keys) AS k(key)
      WHERE e.org = ${org} AND e.namespace = ${namespace} AND e.run_id <> '' AND e.run_id = any(${sessions}::text[]) AND e.kind = 'op' AND e.ok
        AND e.name = any(${writers()}::text[]) GROUP BY e.run_id`.execute(db)
    for (const row of rows) counts.set(row.run_id, row.written)
  }
  return counts
}

const MOST_WRITTEN = 200

interface Written {
  readonly memory_key: string
  readonly memory_id: string
  readonly status: string
  readonly version: bigint
}

/** Rows of memory that a run wrote, as they now are; oldest key first, the first 200. */
export async function writtenBy(db: Queryable, run: Run, caller: Caller): Promise<Written[]> {
  const { org, namespace, run_id } = run
  const wrote = run.implicit
    ? sql<boolean>`m.agent = ${run.agent} AND m.memory_key IN (SELECT unnest(e.memory_keys) FROM loom.run_event e
        WHERE e.org = ${org} AND e.namespace = ${namespace} AND e.run_id <> '' AND e.run_id = ${run_id} AND e.kind = 'op' AND e.ok
          AND e.name = any(${writers()}::text[]))`
    : sql<boolean>`m.memory_id IN (SELECT v.memory_id FROM loom.memory_version v
        WHERE v.org = ${org} AND v.namespace = ${namespace} AND v.run_id <> '' AND v.run_id = ${run_id} AND v.erased_by = '')`
  const { rows } = await sql<Written>`SELECT m.memory_key, m.memory_id, m.status, m.version FROM loom.memory m
    WHERE m.org = ${org} AND m.namespace = ${namespace} AND m.erased_by = '' AND ${wrote} AND ${seenBy(caller, 'm')}
    ORDER BY m.memory_key, m.memory_id LIMIT ${MOST_WRITTEN}`.execute(db)
  return rows
}

export function runView(run: Run, written: number): RunView {
  const { run_id, goal, implicit, parent_run_id, agent, user_id, session_id, actor, final_response, confidence, reflection } = run
  const { memories_used, recalled_keys, graded_by, grade_reason, events, tool_calls, files } = run
  return {
    run_id,
    goal,
    status: run.status as RunView['status'],
    implicit,
    parent_run_id,
    agent,
    user_id,
    session_id,
    actor,
    started_at: run.started_at.toISOString(),
    completed_at: run.completed_at?.toISOString() ?? null,
    duration_ms: run.duration_ms === null ? null : Number(run.duration_ms),
    final_response,
    confidence,
    reflection,
    metadata: metadataOf(run),
    memories_used,
    recalled_keys,
    outcome: run.outcome === '' ? null : (run.outcome as RunView['outcome']),
    retain: run.retain as RunView['retain'],
    grade: run.grade === '' ? null : (run.grade as RunView['grade']),
    graded_at: run.graded_at?.toISOString() ?? null,
    graded_by,
    grade_reason,
    events,
    tool_calls,
    files,
    memories_written: written,
  }
}

export const metadataOf = (run: Run): { readonly [name: string]: Json } => parseJson(run.metadata) as { readonly [name: string]: Json }
