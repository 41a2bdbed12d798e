import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const webhookTest = declareOp({
  name: 'webhook.test',
  group: 'admin',
  kind: 'write',
  role: 'admin',
  bound: 'none',
  idempotent: false,
  audited: true,
  toolset: 'all',
  rate: 'admin',
  sync: 'server',
  host: 'server',
  identity: 'namespace',
  onRepeat: 'again',
  summary: 'Sends one signed test event now and says what the receiver answered.',
  input: z.object({ org: Name.optional(), namespace: Name.optional(), webhook_id: Str.min(1).max(64) }),
  output: z.object({
    event_id: z.string(),
    delivered: z.boolean().describe('The receiver answered 2xx in time.'),
    status: z.int().nullable(),
    error: z.string().describe('"" = none; no usable secret, timeout, address refused, connection: <code>.'),
    duration_ms: z.int(),
  }),
  errors: ['NOT_FOUND'],
})
