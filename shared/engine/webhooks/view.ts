import { LoomError } from '../../contract/errors.ts'
import type { EventType, Webhook } from '../../contract/webhook.ts'
import type { EngineParts } from '../parts.ts'
import type { ShownWebhook } from '../store/webhooks.ts'
import { secretBytes } from './secrets.ts'
import type { Webhooks } from './webhooks.ts'

/** The webhooks of this host. @throws LoomError UNKNOWN_OPERATION on a desktop, which answers no operation of theirs. */
export function webhooksOf({ webhooks }: Pick<EngineParts, 'webhooks'>): Webhooks {
  if (webhooks) return webhooks
  throw new LoomError('UNKNOWN_OPERATION', 'Webhooks need a Loom server, and this is a desktop.', { host_needed: 'server' })
}

export const noSuchWebhook = (): LoomError =>
  new LoomError('NOT_FOUND', 'There is no such webhook in this namespace. webhook.list names them.', { field: 'webhook_id' })

export function webhookView(row: ShownWebhook, { secretOf }: Webhooks): Webhook {
  return {
    webhook_id: row.webhook_id,
    namespace: row.namespace,
    url: row.url,
    secret_ref: row.secret_ref,
    events: row.events as EventType[],
    secret_present: secretBytes(row.secret_ref, secretOf) !== null,
    pending: row.pending,
    last_status: row.last_status,
    last_error: row.last_error,
    created_by: row.created_by,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  }
}
