import { z } from 'zod'
import { DateTime } from './common.ts'

/** What a webhook can be told. */
export const EVENT_TYPES = [
  'memory.written',
  'memory.revised',
  'memory.tombstoned',
  'memory.restored',
  'memory.redacted',
  'memory.erased',
] as const
export const EventType = z.enum(EVENT_TYPES)
export type EventType = z.infer<typeof EventType>

export const DeliveryState = z.enum(['pending', 'delivered', 'dead'])
export type DeliveryState = z.infer<typeof DeliveryState>

/** One registration. */
export const Webhook = z.object({
  webhook_id: z.string(),
  namespace: z.string(),
  url: z.string(),
  secret_ref: z.string(),
  events: z.array(EventType),
  secret_present: z.boolean().describe('Whether the process that answers holds a usable secret.'),
  pending: z.int().describe('Events that wait.'),
  last_status: z.int().nullable(),
  last_error: z.string().describe('Of its latest attempt; "" = none.'),
  created_by: z.string(),
  created_at: DateTime,
  updated_at: DateTime,
})
export type Webhook = z.infer<typeof Webhook>
