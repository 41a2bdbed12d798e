import type { Output } from '../../../contract/declare.ts'
import { webhookRemove as contract } from '../../../contract/ops/webhook/remove.ts'
import { defineWrite } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { endWebhook } from '../../store/webhooks.ts'
import { noSuchWebhook, webhooksOf } from '../../webhooks/view.ts'

export const webhookRemove = defineWrite(contract, {
  async run({ webhook_id }, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, actor, caller, parts } = context
    const { org, namespace } = identity
    const { listeners } = webhooksOf(parts)
    const pending = await endWebhook(tx, org, namespace, webhook_id, now)
    if (pending === null) throw noSuchWebhook()
    await writeAudit(tx, [
      { op: contract.name, at: now, org, actor, requestId: caller.requestId, subject: `webhook:-/-/-/${webhook_id}`, namespace },
    ])
    context.afterCommit(() => listeners.forget(org))
    return { webhook_id, removed: true, pending_dropped: pending }
  },
})
