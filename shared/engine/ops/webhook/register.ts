import { v7 } from 'uuid'
import type { Output } from '../../../contract/declare.ts'
import { LoomError, isLoomError } from '../../../contract/errors.ts'
import { webhookRegister as contract } from '../../../contract/ops/webhook/register.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { countWebhooks, insertWebhook, replaceWebhook, shownWebhooks, webhookOfUrl } from '../../store/webhooks.ts'
import { checkedAddresses, hostOf, readUrl } from '../../webhooks/addresses.ts'
import { checkSecretRef } from '../../webhooks/secrets.ts'
import { noSuchWebhook, webhooksOf, webhookView } from '../../webhooks/view.ts'
import type { Webhooks } from '../../webhooks/webhooks.ts'

/** @throws LoomError ADDRESS_REFUSED for a host that is not public or has no address, as far as that can be told. */
async function checkAddress(url: URL, { config, resolve }: Webhooks): Promise<void> {
  try {
    await checkedAddresses(url, config, resolve)
  } catch (error) {
    if (isLoomError(error)) throw error
    throw new LoomError('ADDRESS_REFUSED', `${hostOf(url)} has no address. Check the host of the URL.`, { field: 'url' }, { cause: error })
  }
}

/** @throws LoomError INVALID_ARGUMENT when the namespace holds as many as it may. Takes no lock (WHK083). */
async function passCap({ tx, identity }: WriteContext, limit: number): Promise<void> {
  if ((await countWebhooks(tx, identity.org, identity.namespace)) < limit) return
  throw new LoomError('INVALID_ARGUMENT', `The namespace holds ${limit} webhooks, the most there may be. Remove one first.`, {
    field: 'url',
    limit,
  })
}

export const webhookRegister = defineWrite(contract, {
  async prepare(input, { identity, parts }): Promise<URL> {
    const webhooks = webhooksOf(parts)
    const url = readUrl(input.url)
    checkSecretRef(input.secret_ref, identity.org)
    await checkAddress(url, webhooks)
    return url
  },
  async run(input, context, { href }): Promise<Output<typeof contract>> {
    const { tx, identity, now, actor, parts, caller } = context
    const { org, namespace } = identity
    const webhooks = webhooksOf(parts)
    const { secret_ref } = input
    const events = [...new Set(input.events)]
    const known = await webhookOfUrl(tx, org, namespace, href)
    const webhook_id = known?.webhook_id ?? v7()
    if (known) await replaceWebhook(tx, known, { secret_ref, events }, now)
    else {
      await passCap(context, webhooks.config.maxPerNamespace)
      await insertWebhook(tx, {
        org,
        webhook_id,
        namespace,
        url: href,
        secret_ref,
        events,
        created_by: actor,
        created_at: now,
        updated_at: now,
      })
    }
    await writeAudit(tx, [
      { op: contract.name, at: now, org, actor, requestId: caller.requestId, subject: `webhook:-/-/-/${webhook_id}`, namespace },
    ])
    context.afterCommit(() => webhooks.listeners.forget(org))
    const [shown] = await shownWebhooks(tx, org, namespace, webhook_id)
    if (!shown) throw noSuchWebhook()
    return { ...webhookView(shown, webhooks), replaced: known !== null }
  },
})
