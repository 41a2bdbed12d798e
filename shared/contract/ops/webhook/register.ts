import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { EVENT_TYPES, EventType, Webhook } from '../../webhook.ts'

export const webhookRegister = declareOp({
  name: 'webhook.register',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: true,
  audited: true,
  toolset: 'all',
  rate: 'admin',
  sync: 'server',
  host: 'server',
  identity: 'namespace',
  summary: 'Registers a URL for the events of one namespace, or replaces what is registered for it.',
  advice: 'Events carry ids and keys, never values. The receiver reads a memory back with memory.get_by_id and its own token.',
  input: z.object({
    org: Name.optional(),
    namespace: Name.optional(),
    url: Str.min(1).max(2048).describe('Absolute https URL of the receiver, whose host is public.'),
    secret_ref: Str.min(1).max(512).describe('Variable of the server that holds the signing secret: LOOM_WEBHOOK_SECRET_<ORG>__<NAME>.'),
    events: z
      .array(EventType)
      .min(1)
      .max(EVENT_TYPES.length)
      .default([...EVENT_TYPES])
      .describe('Types it takes; left out: all.'),
  }),
  output: Webhook.extend({ replaced: z.boolean().describe('True when the URL was registered already.') }),
  errors: ['ADDRESS_REFUSED'],
  example: {
    input: {
      org: 'acme',
      namespace: 'chat',
      url: 'https://hooks.example.com/loom',
      secret_ref: 'LOOM_WEBHOOK_SECRET_ACME__CHAT',
      events: ['memory.written', 'memory.revised'],
    },
  },
})
