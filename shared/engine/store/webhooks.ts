import { sql, type Selectable } from 'kysely'
import type { EventType, Webhook } from '../../contract/webhook.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

export type WebhookRow = Selectable<Tables['webhook']>

/** A webhook with how it does. */
export type ShownWebhook = WebhookRow & Pick<Webhook, 'pending'>

/** What writes of an org are told to: live webhooks alone. */
export async function listenersOf(db: Queryable, org: string): Promise<Pick<WebhookRow, 'webhook_id' | 'namespace' | 'events'>[]> {
  return db
    .selectFrom('webhook')
    .select(['webhook_id', 'namespace', 'events'])
    .where('org', '=', org)
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('webhook_id')
    .execute()
}

/** Live webhooks of a namespace, oldest first; or the one named. */
export async function shownWebhooks(db: Queryable, org: string, namespace: string, webhookId?: string): Promise<ShownWebhook[]> {
  const { rows } = await sql<ShownWebhook>`SELECT w.*, (SELECT count(*)::int4 FROM loom.memory_webhook_outbox o
      WHERE o.org = w.org AND o.webhook_id = w.webhook_id AND o.next_attempt_at IS NOT NULL) AS pending FROM loom.webhook w
    WHERE w.org = ${org} AND w.namespace = ${namespace} AND w.removed_at IS NULL
      AND (${webhookId ?? null}::text IS NULL OR w.webhook_id = ${webhookId ?? null})
    ORDER BY w.created_at, w.webhook_id`.execute(db)
  return rows
}

/** A webhook of the namespace, removed or not. */
export async function webhookById(db: Queryable, org: string, namespace: string, webhookId: string): Promise<WebhookRow | null> {
  const row = await db
    .selectFrom('webhook')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('webhook_id', '=', webhookId)
    .executeTakeFirst()
  return row ?? null
}

/** The live webhook of a URL; the oldest, where two were made at one moment. */
export async function webhookOfUrl(tx: Tx, org: string, namespace: string, url: string): Promise<WebhookRow | null> {
  const row = await tx
    .selectFrom('webhook')
    .selectAll()
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('url', '=', url)
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return row ?? null
}

export async function countWebhooks(tx: Tx, org: string, namespace: string): Promise<number> {
  const { count } = await tx
    .selectFrom('webhook')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('removed_at', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function insertWebhook(tx: Tx, row: Omit<WebhookRow, 'last_status' | 'last_error' | 'removed_at'>): Promise<void> {
  await tx
    .insertInto('webhook')
    .values({ ...row, last_status: null, removed_at: null })
    .execute()
}

/** Other events and another secret for a webhook: its id and queue stay. */
export async function replaceWebhook(
  tx: Tx,
  { org, webhook_id }: WebhookRow,
  by: { readonly secret_ref: string; readonly events: readonly EventType[] },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('webhook')
    .set({ secret_ref: by.secret_ref, events: [...by.events], updated_at: now })
    .where('org', '=', org)
    .where('webhook_id', '=', webhook_id)
    .execute()
}

/** Ends a webhook. Answers how many of its events wait; null when there is none, or it had ended. */
export async function endWebhook(tx: Tx, org: string, namespace: string, webhookId: string, now: Date): Promise<number | null> {
  const { numUpdatedRows } = await tx
    .updateTable('webhook')
    .set({ removed_at: now, updated_at: now })
    .where('org', '=', org)
    .where('namespace', '=', namespace)
    .where('webhook_id', '=', webhookId)
    .where('removed_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return null
  const { count } = await tx
    .selectFrom('memory_webhook_outbox')
    .select((select) => select.fn.countAll<bigint>().as('count'))
    .where('org', '=', org)
    .where('webhook_id', '=', webhookId)
    .where('next_attempt_at', 'is not', null)
    .executeTakeFirstOrThrow()
  return Number(count)
}
