import { z } from 'zod'
import { DateTime, Name, Str, nextCursor, page } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { DeliveryState, EventType } from '../../webhook.ts'

export const webhookDeliveries = declareOp({
  name: 'webhook.deliveries',
  group: 'admin',
  kind: 'read',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: false,
  toolset: 'all',
  rate: 'read',
  sync: 'none',
  host: 'server',
  identity: 'namespace',
  summary: 'Events of the last 3 days and what became of them, newest first; no key, no identity.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    webhook_id: Str.max(64).default('').describe('One webhook, a removed one too; "" = all.'),
    state: DeliveryState.nullable().default(null),
    ...page(50, 500),
  }),
  output: z.object({
    rows: z.array(
      z.object({
        event_id: z.string(),
        webhook_id: z.string(),
        type: EventType,
        state: DeliveryState,
        attempts: z.int(),
        last_status: z.int().nullable(),
        last_error: z.string().describe('"" = none.'),
        occurred_at: DateTime,
        last_attempt_at: DateTime.nullable(),
        next_attempt_at: DateTime.nullable(),
        delivered_at: DateTime.nullable(),
      }),
    ),
    ...nextCursor,
  }),
  errors: ['NOT_FOUND', 'INVALID_CURSOR'],
})
