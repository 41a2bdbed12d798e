import { sql } from 'kysely'
import type { Change } from '../../../contract/ops/sync/push.ts'
import { settleDivergence, type Decision, type Effect } from '../../../domain/sync/diverged.ts'
import type { Policy } from '../../../domain/verdict/settle.ts'
import type { Tx } from '../../db/database.ts'
import type { Head } from '../../store/memories.ts'
import { settledChange } from '../../store/sync-changes.ts'
import { isHeld, isLive } from '../../write/state.ts'

/** What a change was made on, and whether the key moved on since. */

/** Outcomes that made no version the device's later change could stand on: what it was made on is that of both. */
const PASSES_ON = new Set(['refused', 'merged', 'quarantined', 'lost', 'erased'])

/** Version of the server's head that a change was made on; null: the device had no row of the server's. */
export async function baseOf(tx: Tx, org: string, change: Pick<Change, 'base_version' | 'base_change_id'>): Promise<bigint | null> {
  if (change.base_change_id === '') return change.base_version
  const before = await settledChange(tx, org, change.base_change_id)
  if (!before) return change.base_version
  return PASSES_ON.has(before.outcome) ? before.base_version : before.version
}

/** Some version since the base has another value, or ended the row. */
async function movedOn(tx: Tx, head: Head, base: bigint | null): Promise<boolean> {
  const { rows } = await sql<{ moved: boolean }>`SELECT EXISTS (SELECT 1 FROM loom.memory_version v
      WHERE v.org = ${head.org} AND v.memory_id = ${head.memory_id} AND NOT v.lost AND v.version > coalesce(${base}::int8, 0)
        AND (v.status = 'tombstoned' OR v.content_sha256 IS DISTINCT FROM (SELECT b.content_sha256 FROM loom.memory_version b
          WHERE b.org = v.org AND b.memory_id = v.memory_id AND b.version = ${base}::int8)))
    OR EXISTS (SELECT 1 FROM loom.memory_version c WHERE c.org = ${head.org} AND c.memory_id = ${head.memory_id}
      AND c.version = ${head.version} AND c.status <> 'tombstoned' AND c.tombstoned_at IS NOT NULL) AS moved`.execute(tx)
  // A cleared row keeps its version number: the second half sees that it ended.
  return rows[0]?.moved === true
}

/** When the head's value was said first of those that still stand; of a retired head, when it was retired. */
async function saidAt(tx: Tx, head: Head, gone: boolean): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`SELECT
      CASE WHEN ${gone} AND v.status <> 'tombstoned' AND v.tombstoned_at IS NOT NULL THEN v.tombstoned_at
        ELSE coalesce(v.said_at, v.server_recorded_at, v.updated_at) END AS at
    FROM loom.memory_version v
    WHERE v.org = ${head.org} AND v.memory_id = ${head.memory_id} AND NOT v.lost
      AND v.version >= CASE WHEN ${gone} THEN ${head.version}::int8 ELSE coalesce((SELECT max(w.version) + 1 FROM loom.memory_version w
        WHERE w.org = v.org AND w.memory_id = v.memory_id AND NOT w.lost
          AND (w.content_sha256 <> ${head.content_sha256} OR w.status = 'tombstoned')), 0) END
    ORDER BY v.version LIMIT 1`.execute(tx)
  return rows[0]?.at ?? head.updated_at
}

export interface Incoming {
  readonly effect: Effect
  readonly base: bigint | null
  readonly saidAt: Date
  /** Of its value; '' for none. */
  readonly sha256: string
  readonly canonicalSha256: string
}

export const RUNS: Decision = { kind: 'runs', contested: false }

/** What becomes of a change on the head that it finds. */
export async function decide(tx: Tx, head: Head | null, incoming: Incoming, policy: Policy, now: Date): Promise<Decision> {
  const { effect, base } = incoming
  if (!head || effect === 'other' || !(await movedOn(tx, head, base))) return RUNS
  const live = isLive(head, now)
  const same =
    head.content_sha256 === incoming.sha256 || (head.canonical_sha256 !== '' && head.canonical_sha256 === incoming.canonicalSha256)
  if (effect === 'value' && isHeld(head, now) && same) return RUNS
  const age = incoming.saidAt > (await saidAt(tx, head, !live)) ? 'newer' : 'older'
  return settleDivergence({ effect, head: live ? 'live' : 'gone', age }, policy)
}
