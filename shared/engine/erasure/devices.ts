import { sql } from 'kysely'
import type { z } from 'zod'
import type { PendingDevice, Receipt } from '../../contract/erasure.ts'
import type { Queryable } from '../db/database.ts'
import { iso } from '../store/row-view.ts'
import type { Counts, SagaRow } from './sagas.ts'

/** Devices that cover a scope, and what they have proved. */

interface DeviceOf {
  readonly device_id: string
  readonly name: string
  readonly last_seen_at: Date | null
  readonly revoked_at: Date | null
}

/** Devices whose token reaches a namespace of the scope, and its user where they are bound to one. */
export async function devicesOver(
  db: Queryable,
  { org, namespaces, userId }: { readonly org: string; readonly namespaces: readonly string[] | null; readonly userId: string },
  since: { readonly before: Date; readonly without: string } | null,
): Promise<DeviceOf[]> {
  const reaches = namespaces === null ? sql`true` : sql`(t.grants ? '*' OR t.grants ?| ${[...namespaces]}::text[])`
  const early =
    since === null
      ? sql`d.revoked_at IS NULL`
      : sql`d.created_at <= ${since.before} AND NOT EXISTS (SELECT 1 FROM loom.erasure_receipt r
    WHERE r.org = d.org AND r.erasure_id = ${since.without} AND r.device_id = d.device_id AND r.clean)`
  const { rows } = await sql<DeviceOf>`SELECT d.device_id, d.name, d.last_seen_at, d.revoked_at FROM loom.device d
    JOIN loom.auth_token t ON t.token_id = d.token_id AND t.org = d.org
    WHERE d.org = ${org} AND ${reaches} AND (${userId} = '' OR t.user_id IN ('', ${userId})) AND ${early}
    ORDER BY d.created_at, d.device_id`.execute(db)
  return rows
}

/** Devices that covered the scope at the fence and have returned no clean receipt. Only documents go with a collection. */
export async function pendingDevices(db: Queryable, saga: SagaRow): Promise<z.infer<typeof PendingDevice>[]> {
  const { org, namespaces, user_id: userId } = saga
  const rows = await devicesOver(db, { org, namespaces, userId }, { before: saga.requested_at, without: saga.erasure_id })
  return rows.map(({ device_id, name, last_seen_at, revoked_at }) => ({
    device_id,
    name,
    last_seen_at: iso(last_seen_at),
    revoked: revoked_at !== null,
  }))
}

/** How many erasures each device has not proved yet. */
export async function receiptsOwed(db: Queryable, org: string): Promise<Map<string, number>> {
  const { rows } = await sql<{ device_id: string; owed: number }>`SELECT d.device_id, count(*)::int AS owed FROM loom.device d
    JOIN loom.auth_token t ON t.token_id = d.token_id AND t.org = d.org
    JOIN loom.erasure_saga s ON s.org = d.org AND s.requested_at >= d.created_at
      AND (s.namespaces IS NULL OR t.grants ? '*' OR t.grants ?| s.namespaces) AND (s.user_id = '' OR t.user_id IN ('', s.user_id))
    WHERE d.org = ${org} AND NOT EXISTS (SELECT 1 FROM loom.erasure_receipt r
      WHERE r.org = d.org AND r.erasure_id = s.erasure_id AND r.device_id = d.device_id AND r.clean) GROUP BY d.device_id`.execute(db)
  return new Map(rows.map((row) => [row.device_id, row.owed]))
}

export async function receiptsOf(db: Queryable, { org, erasure_id }: SagaRow): Promise<(Receipt & { received_at: string })[]> {
  const rows = await db
    .selectFrom('erasure_receipt')
    .selectAll()
    .where('org', '=', org)
    .where('erasure_id', '=', erasure_id)
    .orderBy('received_at')
    .orderBy('device_id')
    .execute()
  return rows.map((row) => ({
    erasure_id,
    seq: Number(row.seq),
    device_id: row.device_id,
    purge: row.purge,
    rows_affected: Number(row.rows_affected),
    queue_dropped: Number(row.queue_dropped),
    census: row.census as Counts,
    applied_at: row.applied_at.toISOString(),
    app_version: row.app_version,
    signature: row.signature,
    received_at: row.received_at.toISOString(),
  }))
}
