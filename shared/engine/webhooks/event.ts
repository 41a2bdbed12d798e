import { createHash } from 'node:crypto'
import { stringifyJson } from '../../contract/json.ts'
import type { EventType } from '../../contract/webhook.ts'

/** What an event tells, beside its type and id: members of its body. */
export interface EventRow {
  readonly org: string
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly memory_key: string
  readonly memory_id: string
  readonly version: bigint
  readonly actor: string
  readonly request_id: string
  readonly erasure_id: string
  readonly occurred_at: Date
}

const ID_DIGITS = 32

/** One change told twice to a webhook is one id. */
export function eventId(webhookId: string, type: EventType, row: Pick<EventRow, 'memory_id' | 'erasure_id' | 'version'>): string {
  const parts = [webhookId, type, row.erasure_id || row.memory_id, row.version.toString()]
  return createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, ID_DIGITS)
}

/** The body as it is signed and sent: exactly fourteen members, in this order. */
export function eventBody(type: EventType | 'webhook.test', id: string, row: EventRow): string {
  return stringifyJson({
    type,
    event_id: id,
    org: row.org,
    namespace: row.namespace,
    agent: row.agent,
    user_id: row.user_id,
    session_id: row.session_id,
    memory_key: row.memory_key,
    memory_id: row.memory_id,
    version: row.version,
    actor: row.actor,
    request_id: row.request_id,
    erasure_id: row.erasure_id,
    occurred_at: row.occurred_at.toISOString(),
  })
}
