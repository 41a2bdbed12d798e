import { sql } from 'kysely'
import { parseJson } from '../../../contract/json.ts'
import type { ChangeIn } from '../../../contract/ops/sync/push.ts'
import type { Queryable, Tx } from '../../db/database.ts'

/** A change as it waits. */
export interface Queued {
  readonly org: string
  readonly change_id: string
  readonly seq: bigint
  readonly state: string
  readonly op: string
  readonly via: string
  readonly args: string
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly memory_key: string
  readonly memory_id: string
  readonly base_version: bigint | null
  readonly base_change_id: string
  readonly recorded_at: Date
  readonly local_version: bigint | null
  readonly conflict_verdict: string
  readonly status: string
  readonly source_class: string
  readonly erasure_seq: bigint
  readonly value: string | null
  readonly bytes: number
  readonly failures: number
  readonly made_in: string
  readonly holds: readonly string[]
}

export const MOST_BYTES = 4 * 1024 * 1024

/** The next changes to push, in the order they were made: as many as one push takes. */
export async function nextChanges(db: Queryable, org: string, most: number): Promise<Queued[]> {
  const { rows } =
    await sql<Queued>`SELECT * FROM loom.sync_outbox WHERE org = ${org} AND state = 'queued' ORDER BY seq LIMIT ${most}`.execute(db)
  let bytes = 0
  const fit = rows.findIndex((row, at) => (bytes += row.bytes) > MOST_BYTES && at > 0)
  return fit === -1 ? rows : rows.slice(0, fit)
}

export async function changeById(db: Queryable, org: string, changeId: string): Promise<Queued | null> {
  const { rows } = await sql<Queued>`SELECT * FROM loom.sync_outbox WHERE org = ${org} AND change_id = ${changeId}`.execute(db)
  return rows[0] ?? null
}

/** How long a row has still to live: what passed since it was written here is not given to it again. */
function withTimeLeft(args: Record<string, unknown>, row: Queued, now: Date): Record<string, unknown> {
  const { ttl_seconds: ttl } = args
  if (typeof ttl !== 'number') return args
  const passed = Math.max(0, Math.floor((now.getTime() - row.recorded_at.getTime()) / 1000))
  return { ...args, ttl_seconds: Math.max(1, ttl - passed) }
}

/** A change as it is pushed. */
export function pushed(row: Queued, now: Date): ChangeIn {
  return {
    change_id: row.change_id,
    op: row.op,
    via: row.via,
    args: withTimeLeft(parseJson(row.args) as Record<string, unknown>, row, now),
    memory_id: row.memory_id,
    base_version: row.base_version,
    base_change_id: row.base_change_id,
    recorded_at: row.recorded_at.toISOString(),
    local_version: row.local_version,
    verdict: { conflict_verdict: row.conflict_verdict, status: row.status },
    ...(row.source_class !== '' && { source_class: row.source_class }),
    erasure_seq: Number(row.erasure_seq),
  }
}

export interface QueueCounts {
  readonly queued: number
  readonly oldest: Date | null
  readonly quarantined: number
}

export async function queueCounts(db: Queryable, org: string): Promise<QueueCounts> {
  const { rows } = await sql<{ queued: number; oldest: Date | null; quarantined: number }>`SELECT
    count(*) FILTER (WHERE state = 'queued')::int AS queued, min(recorded_at) FILTER (WHERE state = 'queued') AS oldest,
    count(*) FILTER (WHERE state = 'quarantined')::int AS quarantined FROM loom.sync_outbox WHERE org = ${org}`.execute(db)
  return rows[0] ?? { queued: 0, oldest: null, quarantined: 0 }
}

export async function dropChange(tx: Tx, org: string, changeId: string): Promise<void> {
  await sql`DELETE FROM loom.sync_outbox WHERE org = ${org} AND change_id = ${changeId}`.execute(tx)
}

export async function quarantine(tx: Tx, org: string, changeId: string): Promise<void> {
  await sql`UPDATE loom.sync_outbox SET state = 'quarantined' WHERE org = ${org} AND change_id = ${changeId}`.execute(tx)
}

/** One more INTERNAL answer in a row. Answers how many there are. */
export async function countFailure(tx: Tx, org: string, changeId: string): Promise<number> {
  const { rows } = await sql<{ failures: number }>`UPDATE loom.sync_outbox SET failures = failures + 1
    WHERE org = ${org} AND change_id = ${changeId} RETURNING failures`.execute(tx)
  return rows[0]?.failures ?? 0
}
