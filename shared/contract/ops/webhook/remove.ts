import { z } from 'zod'
import { Name, Str } from '../../common.ts'
import { declareOp } from '../../declare.ts'

export const webhookRemove = declareOp({
  name: 'webhook.remove',
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
  summary: 'Removes a webhook: nothing of it is sent after the answer, but a POST in flight.',
  input: z.object({ org: Name.optional(), namespace: Name.optional(), webhook_id: Str.min(1).max(64) }),
  output: z.object({
    webhook_id: z.string(),
    removed: z.boolean(),
    pending_dropped: z.int().describe('Events that will not be sent.'),
  }),
  errors: ['NOT_FOUND'],
})
