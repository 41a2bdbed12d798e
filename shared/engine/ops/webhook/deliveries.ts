import type { Output } from '../../../contract/declare.ts'
import { webhookDeliveries as contract } from '../../../contract/ops/webhook/deliveries.ts'
import type { DeliveryState, EventType } from '../../../contract/webhook.ts'
import { defineRead } from '../../handler.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { iso } from '../../store/row-view.ts'
import { listDeliveries } from '../../store/webhook-deliveries.ts'
import { webhookById } from '../../store/webhooks.ts'
import { KEPT_MS } from '../../webhooks/config.ts'
import { noSuchWebhook } from '../../webhooks/view.ts'

export const webhookDeliveries = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, now } = context
  const { org, namespace } = identity
  const { webhook_id: webhookId, state, limit } = input
  const list = listName(contract.name, `${org}/${namespace}`, input)
  const after = readPlace(list, input.cursor, ['time', 'text'])
  if (webhookId !== '' && !(await webhookById(db, org, namespace, webhookId))) throw noSuchWebhook()
  const since = new Date(now.getTime() - KEPT_MS)
  const rows = await listDeliveries(db, org, namespace, { webhookId, state, since, after, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    rows: shown.map((row) => ({
      event_id: row.event_id,
      webhook_id: row.webhook_id,
      type: row.type as EventType,
      state: row.state as DeliveryState,
      attempts: row.attempts,
      last_status: row.last_status,
      last_error: row.last_error,
      occurred_at: row.occurred_at.toISOString(),
      last_attempt_at: iso(row.last_attempt_at),
      next_attempt_at: iso(row.next_attempt_at),
      delivered_at: iso(row.delivered_at),
    })),
    next_cursor: rows.length > limit && last ? writeCursor(list, [last.occurred_at.toISOString(), last.event_id]) : null,
  }
})
