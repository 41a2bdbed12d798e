import { sql, type RawBuilder } from 'kysely'
import type { Database, Reader } from '../db/database.ts'
import { DAY_MS, EVENT_LEASE_MS, KEPT_MS, NO_SECRET_AFTER_MS, TOO_LATE_AFTER_MS } from '../webhooks/config.ts'

export const REMOVED = 'webhook removed'
export const TOO_LATE = 'not delivered in time'
export const NO_SECRET = 'no usable secret'
export const ERASED = 'memory erased'

/** Ends waiting events of webhooks `w`, that no pass holds. */
async function end(database: Database, reason: string, now: Date, which: RawBuilder<unknown>): Promise<void> {
  await database.transaction((tx) =>
    sql`WITH gone AS (UPDATE loom.memory_webhook_outbox o SET next_attempt_at = NULL, lease_until = NULL FROM loom.webhook w
        WHERE w.org = o.org AND w.webhook_id = o.webhook_id AND o.next_attempt_at IS NOT NULL
          AND (o.lease_until IS NULL OR o.lease_until <= ${now}) AND ${which} RETURNING o.org, o.webhook_id, o.event_id)
      UPDATE loom.memory_webhook_delivery d SET state = 'dead', last_error = ${reason} FROM gone g
      WHERE d.org = g.org AND d.webhook_id = g.webhook_id AND d.event_id = g.event_id AND d.state = 'pending'`.execute(tx),
  )
}

/** Ends the events of webhooks removed not long ago, and those that are too old to be sent. */
export async function endOverdue(database: Database, now: Date, windowLeases: number): Promise<void> {
  const since = new Date(now.getTime() - windowLeases * EVENT_LEASE_MS)
  await end(database, REMOVED, now, sql`w.removed_at > ${since}`)
  const born = new Date(now.getTime() - TOO_LATE_AFTER_MS)
  await end(database, TOO_LATE, now, sql`w.removed_at IS NULL AND o.occurred_at <= ${born}`)
}

/** Ends old events of webhooks that have waited for a secret. */
export async function endUnsigned(database: Database, now: Date, webhookIds: readonly string[]): Promise<void> {
  if (webhookIds.length === 0) return
  const born = new Date(now.getTime() - NO_SECRET_AFTER_MS)
  await end(database, NO_SECRET, now, sql`w.webhook_id = any(${[...webhookIds]}::text[]) AND o.occurred_at <= ${born}`)
}

/** Deletes the events of days whose youngest is too old to be read, and webhooks removed that have none left. */
export async function dropOldDays(database: Database, now: Date): Promise<void> {
  const kept = new Date(now.getTime() - KEPT_MS)
  const dayAfter = new Date((Math.floor(kept.getTime() / DAY_MS) + 1) * DAY_MS)
  const { rows } = await sql<{ org: string; day: Date; namespaces: string[] }>`SELECT d.org, date_trunc('day', d.occurred_at, 'UTC') AS day,
      array_agg(DISTINCT d.namespace) AS namespaces
    FROM (SELECT DISTINCT org, namespace FROM loom.webhook) w
    JOIN loom.memory_webhook_delivery d ON d.org = w.org AND d.namespace = w.namespace AND d.occurred_at < ${dayAfter}
    GROUP BY d.org, date_trunc('day', d.occurred_at, 'UTC') HAVING max(d.occurred_at) <= ${kept}`.execute(database.reader)
  for (const { org, day, namespaces } of rows) {
    const ofDay = sql`d.org = ${org} AND d.namespace = any(${namespaces}::text[]) AND d.occurred_at >= ${day}
      AND d.occurred_at < ${new Date(day.getTime() + DAY_MS)}`
    await database.transaction(async (tx) => {
      await sql`DELETE FROM loom.memory_webhook_outbox o USING loom.memory_webhook_delivery d
        WHERE o.org = d.org AND o.webhook_id = d.webhook_id AND o.event_id = d.event_id AND ${ofDay}`.execute(tx)
      await sql`DELETE FROM loom.memory_webhook_delivery d WHERE ${ofDay}`.execute(tx)
    })
  }
  await database.transaction((tx) =>
    sql`DELETE FROM loom.webhook w WHERE w.removed_at <= ${kept} AND NOT EXISTS
      (SELECT 1 FROM loom.memory_webhook_delivery d WHERE d.org = w.org AND d.webhook_id = w.webhook_id)`.execute(tx),
  )
}

/** When the next waiting event of a live webhook is due; null: none waits. */
export async function nextDue(db: Reader): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`SELECT min(greatest(o.next_attempt_at, o.lease_until)) AS at
    FROM loom.memory_webhook_outbox o JOIN loom.webhook w ON w.org = o.org AND w.webhook_id = o.webhook_id
    WHERE w.removed_at IS NULL AND o.next_attempt_at IS NOT NULL`.execute(db)
  return rows[0]?.at ?? null
}
