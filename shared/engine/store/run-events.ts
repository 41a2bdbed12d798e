import { sql, type Insertable, type Selectable } from 'kysely'
import { v7 } from 'uuid'
import type { EventKind, RunEvent } from '../../contract/run.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { Identity } from '../identity.ts'

type EventRow = Selectable<Tables['run_event']>

/** An event before it has its place in a run. */
export interface NewEvent extends Identity {
  readonly at: Date
  readonly kind: EventKind
  readonly name: string
  readonly summary: string
  readonly files: readonly string[]
  readonly memory_keys: readonly string[]
  readonly ok: boolean
  readonly code: string
  readonly duration_ms: number | null
}

/** Rows of one statement: a statement has room for 65,535 values. */
const MOST_ROWS = 2000
const MOST_FILES = 100

function rowOf(event: NewEvent, runId: string, seq: bigint): Insertable<Tables['run_event']> {
  const { files, memory_keys, duration_ms, ...rest } = event
  return {
    ...rest,
    event_id: v7(),
    run_id: runId,
    seq,
    files: [...files],
    memory_keys: [...memory_keys],
    duration_ms: duration_ms === null ? null : BigInt(Math.round(duration_ms)),
  }
}

async function insert(tx: Tx, rows: readonly Insertable<Tables['run_event']>[]): Promise<void> {
  for (let at = 0; at < rows.length; at += MOST_ROWS)
    await tx
      .insertInto('run_event')
      .values(rows.slice(at, at + MOST_ROWS))
      .execute()
}

/** Requests that named no run, or one that nobody has begun: kept without a place in one. */
export async function keepLoose(tx: Tx, events: readonly NewEvent[], runId: string): Promise<void> {
  await insert(
    tx,
    events.map((event) => rowOf(event, runId, 0n)),
  )
}

/**
 * Adds events at the end of a run, over or not.
 * @returns the last place given; null where there is no such run, and nothing was stored
 */
export async function appendEvents(
  tx: Tx,
  { org, namespace }: Pick<Identity, 'org' | 'namespace'>,
  runId: string,
  events: readonly NewEvent[],
): Promise<bigint | null> {
  const latest = events.reduce<Date>((last, { at }) => (at > last ? at : last), new Date(0))
  const calls = events.filter(({ kind }) => kind === 'tool_call').length
  const files = [...new Set(events.flatMap((event) => event.files))].slice(0, MOST_FILES)
  const { rows } = await sql<{
    last_seq: bigint
  }>`UPDATE loom.run AS r SET last_seq = r.last_seq + ${events.length}, events = r.events + ${events.length},
      tool_calls = r.tool_calls + ${calls}, last_event_at = greatest(r.last_event_at, ${latest}),
      files = CASE WHEN ${files.length} = 0 OR cardinality(r.files) >= ${MOST_FILES} THEN r.files ELSE
        (r.files || ARRAY(SELECT f.file FROM unnest(${files}::text[]) WITH ORDINALITY AS f(file, place)
          WHERE f.file <> ALL (r.files) ORDER BY f.place))[1:${MOST_FILES}] END
    WHERE r.org = ${org} AND r.namespace = ${namespace} AND r.run_id = ${runId} RETURNING r.last_seq`.execute(tx)
  const last = rows[0]?.last_seq
  if (last === undefined) return null
  const first = last - BigInt(events.length) + 1n
  await insert(
    tx,
    events.map((event, at) => rowOf(event, runId, first + BigInt(at))),
  )
  return last
}

/** Requests that named a run before it began become its first events. */
export async function adoptEvents(tx: Tx, { org, namespace }: Pick<Identity, 'org' | 'namespace'>, runId: string): Promise<void> {
  await sql`WITH told AS (
      UPDATE loom.run_event AS e SET seq = n.place FROM (
        SELECT event_id, row_number() OVER (ORDER BY at, event_id) AS place FROM loom.run_event
        WHERE org = ${org} AND namespace = ${namespace} AND run_id <> '' AND run_id = ${runId} AND name NOT LIKE 'run.%') AS n
      WHERE e.org = ${org} AND e.event_id = n.event_id RETURNING n.place)
    UPDATE loom.run SET last_seq = t.count, events = t.count FROM (SELECT count(*)::int AS count FROM told) AS t
    WHERE org = ${org} AND namespace = ${namespace} AND run_id = ${runId} AND t.count > 0`.execute(tx)
}

/** One page of a run's events, oldest first. */
export async function eventsOf(
  db: Queryable,
  { org, namespace }: Pick<Identity, 'org' | 'namespace'>,
  runId: string,
  after: bigint,
  limit: number,
): Promise<EventRow[]> {
  return db
    .selectFrom('run_event')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('run_id', '=', runId)
    .where('run_id', '<>', sql.lit(''))
    .where('seq', '>', after)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** Keys that were served to a run: those that its reads named or answered. */
export async function servedKeys(
  db: Queryable,
  { org, namespace }: Pick<Identity, 'org' | 'namespace'>,
  runId: string,
  reads: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ key: string }>`SELECT k.key FROM loom.run_event e CROSS JOIN LATERAL unnest(e.memory_keys) AS k(key)
    WHERE e.org = ${org} AND e.namespace = ${namespace} AND e.run_id <> '' AND e.run_id = ${runId} AND e.kind = 'op' AND e.ok
      AND e.name = any(${[...reads]}::text[]) GROUP BY k.key ORDER BY min(e.seq), k.key LIMIT 1000`.execute(db)
  return rows.map((row) => row.key)
}

export function eventView(row: EventRow): RunEvent {
  const { kind, name, summary, files, memory_keys, ok, code } = row
  return {
    seq: Number(row.seq),
    at: row.at.toISOString(),
    kind: kind as EventKind,
    name,
    summary,
    files,
    memory_keys,
    ok,
    code,
    duration_ms: row.duration_ms === null ? null : Number(row.duration_ms),
  }
}
