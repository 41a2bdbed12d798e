import type { Generated } from 'kysely'

/** Change webhooks and their deliveries. */
export interface WebhookTables {
  webhook: {
    org: string
    webhook_id: string
    namespace: string
    url: string
    secret_ref: string
    events: string[]
    created_by: string
    created_at: Date
    updated_at: Date
    last_status: number | null
    last_error: Generated<string>
    removed_at: Date | null
  }
  memory_webhook_outbox: {
    org: string
    webhook_id: string
    event_id: string
    namespace: string
    type: string
    agent: string
    user_id: string
    session_id: string
    memory_key: string
    memory_id: string
    version: bigint
    occurred_at: Date
    body: string
    next_attempt_at: Date | null
    lease_until: Date | null
    attempts: Generated<number>
  }
  memory_webhook_delivery: {
    org: string
    webhook_id: string
    event_id: string
    namespace: string
    type: string
    state: Generated<string>
    attempts: Generated<number>
    last_status: number | null
    last_error: Generated<string>
    occurred_at: Date
    last_attempt_at: Date | null
    delivered_at: Date | null
  }
}
