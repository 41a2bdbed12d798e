import { sql, type Selectable } from 'kysely'
import type { DeliveryState } from '../../contract/webhook.ts'
import type { Reader } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

export type DeliveryRow = Selectable<Tables['memory_webhook_delivery']> & { readonly next_attempt_at: Date | null }

/** Events of a namespace and what became of them, newest first. */
export async function listDeliveries(
  db: Reader,
  org: string,
  namespace: string,
  filter: {
    /** "" = all. */
    readonly webhookId: string
    readonly state: DeliveryState | null
    readonly since: Date
    readonly after: readonly string[] | null
    readonly limit: number
  },
): Promise<DeliveryRow[]> {
  const { webhookId, state, since, limit } = filter
  const [at = null, id = null] = filter.after ?? []
  const { rows } = await sql<DeliveryRow>`SELECT d.*, CASE WHEN d.state = 'pending' THEN o.next_attempt_at END AS next_attempt_at
    FROM loom.memory_webhook_delivery d
    LEFT JOIN loom.memory_webhook_outbox o ON o.org = d.org AND o.webhook_id = d.webhook_id AND o.event_id = d.event_id
    WHERE d.org = ${org} AND d.namespace = ${namespace} AND d.occurred_at >= ${since}
      AND (${webhookId} = '' OR d.webhook_id = ${webhookId}) AND (${state}::text IS NULL OR d.state = ${state})
      AND (${at}::timestamptz IS NULL OR (d.occurred_at, d.event_id) < (${at}::timestamptz, ${id}::text))
    ORDER BY d.occurred_at DESC, d.event_id DESC LIMIT ${limit}`.execute(db)
  return rows
}
