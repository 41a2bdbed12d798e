import { sql } from 'kysely'
import { v7 } from 'uuid'
import type { WriteContext } from '../handler.ts'
import { writeAudit } from './audit.ts'

export interface Snapshot {
  readonly snapshot_id: string
  readonly name: string
  readonly note: string
  readonly at: Date
  readonly version: bigint
  readonly counts: { by_status: Record<string, number> }
  readonly actor: string
  readonly automatic: boolean
}

/** Names a point in time of the namespace that the call is for, with its audit row. Null: the name is taken. */
export async function takeSnapshot(
  name: string,
  note: string,
  automatic: boolean,
  op: string,
  context: WriteContext,
): Promise<Snapshot | null> {
  const { tx, now, actor, identity, caller, parts } = context
  const { org, namespace } = identity
  const { rows } = await sql<{ status: string; count: number }>`SELECT status, count(*)::int AS count FROM loom.memory
    WHERE org = ${org} AND namespace = ${namespace} AND erased_by = '' GROUP BY status ORDER BY status`.execute(tx)
  const counts = { by_status: Object.fromEntries(rows.map((row) => [row.status, row.count])) }
  const snapshot: Snapshot = { snapshot_id: v7(), name, note, at: now, version: parts.versions.next(), counts, actor, automatic }
  const made = await tx
    .insertInto('namespace_snapshot')
    .values({ ...snapshot, org, namespace, counts: JSON.stringify(counts) })
    .onConflict((conflict) => conflict.columns(['org', 'namespace', 'name']).doNothing())
    .executeTakeFirst()
  if (made.numInsertedOrUpdatedRows === 0n) return null
  await writeAudit(tx, [{ op, at: now, org, actor, requestId: caller.requestId, subject: `namespace:-/-/-/${namespace}`, namespace }])
  return snapshot
}
