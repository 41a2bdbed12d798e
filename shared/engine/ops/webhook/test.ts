import { randomBytes } from 'node:crypto'
import type { Output } from '../../../contract/declare.ts'
import { webhookTest as contract } from '../../../contract/ops/webhook/test.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { NO_SECRET } from '../../store/webhook-endings.ts'
import { webhookById, type WebhookRow } from '../../store/webhooks.ts'
import { transact } from '../../transact.ts'
import { readUrl } from '../../webhooks/addresses.ts'
import { attempt, isAcknowledged, type Answered } from '../../webhooks/attempt.ts'
import { eventBody } from '../../webhooks/event.ts'
import { secretBytes } from '../../webhooks/secrets.ts'
import { noSuchWebhook, webhooksOf } from '../../webhooks/view.ts'

const NOBODY = { agent: '-', user_id: '-', session_id: '-', memory_key: '', memory_id: '', erasure_id: '', version: 0n } as const

async function send(webhook: WebhookRow, eventId: string, { parts, actor, caller, now }: PrepareContext): Promise<Answered> {
  const webhooks = webhooksOf(parts)
  const secret = secretBytes(webhook.secret_ref, webhooks.secretOf)
  if (!secret) return { status: null, error: NO_SECRET, cancelled: false }
  const { org, namespace, url } = webhook
  const row = { ...NOBODY, org, namespace, actor, request_id: caller.requestId, occurred_at: now }
  const body = eventBody('webhook.test', eventId, row)
  // Whoever calls may go away; the receiver is told all the same.
  return attempt({ url: readUrl(url), secret, eventId, body }, webhooks, now, new AbortController().signal)
}

/** The POST happens outside any transaction; nothing but the audit row is written. */
export const webhookTest = defineBatch(contract, async ({ webhook_id }, context): Promise<Output<typeof contract>> => {
  const { db, identity, actor, caller } = context
  const { org, namespace } = identity
  const webhook = await webhookById(db, org, namespace, webhook_id)
  if (!webhook || webhook.removed_at !== null) throw noSuchWebhook()
  const event_id = randomBytes(16).toString('hex')
  const began = performance.now()
  const answered = await send(webhook, event_id, context)
  const duration_ms = Math.round(performance.now() - began)
  await transact(context, ({ tx, now }) =>
    writeAudit(tx, [
      { op: contract.name, at: now, org, actor, requestId: caller.requestId, subject: `webhook:-/-/-/${webhook_id}`, namespace },
    ]),
  )
  return { event_id, delivered: isAcknowledged(answered), status: answered.status, error: answered.error, duration_ms }
})
