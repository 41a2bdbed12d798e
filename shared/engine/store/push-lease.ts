import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** One push at a time for each device. By the clock of the store, which all server processes share. */

/** Seconds that a lease holds without a sign of life. */
export const PUSH_LEASE_S = 30

const until = sql`clock_timestamp() + ${`${PUSH_LEASE_S} seconds`}::interval`

/** Takes the lease of a device. Null: there is no such device; false: another push of it runs. */
export async function takePushLease(
  db: Queryable,
  device: { readonly org: string; readonly deviceId: string; readonly erasureSeq: number },
  owner: string,
): Promise<boolean | null> {
  const { rows } = await sql<{ taken: boolean }>`WITH taken AS (
      UPDATE loom.device SET push_owner = ${owner}, push_until = ${until}, erasure_seq = greatest(erasure_seq, ${device.erasureSeq})
      WHERE org = ${device.org} AND device_id = ${device.deviceId} AND revoked_at IS NULL
        AND (push_until IS NULL OR push_until <= clock_timestamp()) RETURNING device_id)
    SELECT EXISTS (SELECT 1 FROM taken) AS taken FROM loom.device
    WHERE org = ${device.org} AND device_id = ${device.deviceId} AND revoked_at IS NULL`.execute(db)
  return rows[0]?.taken ?? null
}

/** Keeps it. False: it ran out, and another push has it now. */
export async function renewPushLease(db: Queryable, org: string, deviceId: string, owner: string): Promise<boolean> {
  const { rows } = await sql`UPDATE loom.device SET push_until = ${until}
    WHERE org = ${org} AND device_id = ${deviceId} AND push_owner = ${owner} RETURNING device_id`.execute(db)
  return rows.length === 1
}

export async function endPushLease(db: Queryable, org: string, deviceId: string, owner: string, now: Date): Promise<void> {
  await sql`UPDATE loom.device SET push_owner = '', push_until = NULL, last_push_at = ${now}, last_seen_at = ${now}
    WHERE org = ${org} AND device_id = ${deviceId} AND push_owner = ${owner}`.execute(db)
}
