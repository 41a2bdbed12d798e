import type { Output } from '../../../contract/declare.ts'
import { webhookList as contract } from '../../../contract/ops/webhook/list.ts'
import { defineRead } from '../../handler.ts'
import { shownWebhooks } from '../../store/webhooks.ts'
import { webhooksOf, webhookView } from '../../webhooks/view.ts'

export const webhookList = defineRead(contract, async (_input, { db, identity, parts }): Promise<Output<typeof contract>> => {
  const webhooks = webhooksOf(parts)
  const rows = await shownWebhooks(db, identity.org, identity.namespace)
  return { webhooks: rows.map((row) => webhookView(row, webhooks)) }
})
