import { z } from 'zod'
import { Name } from '../../common.ts'
import { declareOp } from '../../declare.ts'
import { Webhook } from '../../webhook.ts'

export const webhookList = declareOp({
  name: 'webhook.list',
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
  summary: 'The webhooks of a namespace, oldest first.',
  input: z.object({ org: Name.optional(), namespace: Name.optional() }),
  output: z.object({ webhooks: z.array(Webhook) }),
  errors: [],
})
