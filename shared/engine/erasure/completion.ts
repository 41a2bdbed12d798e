import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import { insertEvents, type NewEvent } from '../store/webhook-outbox.ts'
import { listenersOf } from '../store/webhooks.ts'
import { eventBody, eventId } from '../webhooks/event.ts'
import { MEMORY_WEBHOOK_DELIVER } from '../webhooks/outbox.ts'
import type { Census } from './census.ts'
import { LeaseLost, type SagaRow } from './sagas.ts'

const TYPE = 'memory.erased'
const NOBODY = '-'

/** Tells the webhooks of the scope; for a user's erasure every webhook of the org that takes the type, each its own namespace. */
async function leaveErased(tx: Tx, saga: SagaRow, now: Date): Promise<number> {
  const listeners = (await listenersOf(tx, saga.org)).filter(
    ({ namespace, events }) => events.includes(TYPE) && (saga.namespaces === null || saga.namespaces.includes(namespace)),
  )
  const events = listeners.map(({ webhook_id, namespace }): NewEvent => {
    const row = {
      org: saga.org,
      namespace,
      agent: NOBODY,
      user_id: NOBODY,
      session_id: NOBODY,
      memory_key: '',
      memory_id: '',
      version: 0n,
      occurred_at: now,
    }
    const event_id = eventId(webhook_id, TYPE, { ...row, erasure_id: saga.erasure_id })
    const body = eventBody(TYPE, event_id, { ...row, actor: NOBODY, request_id: '', erasure_id: saga.erasure_id })
    return { ...row, webhook_id, event_id, type: TYPE, body }
  })
  if (events.length > 0) await insertEvents(tx, events)
  return events.length
}

/**
 * Ends a saga whose census is clean, and tells the webhooks in the same transaction. An event that cannot be stored is
 * logged and lost; the erasure stands (WHK143).
 * @throws LeaseLost when another process has the saga
 */
export async function complete(parts: EngineParts, saga: SagaRow, owner: string, census: Census): Promise<void> {
  const now = new Date(parts.clock())
  const told = await parts.database.transaction(async (tx) => {
    await parts.numbers.enter(tx, saga.org)
    const done = await tx
      .updateTable('erasure_saga')
      .set({ status: 'completed', failure_reason: '', completed_at: now, residue: '{}', lease_until: null, next_attempt_at: null })
      .where('org', '=', saga.org)
      .where('erasure_id', '=', saga.erasure_id)
      .where('lease_owner', '=', owner)
      .where('status', '=', 'in_progress')
      .executeTakeFirst()
    if (done.numUpdatedRows !== 1n) throw new LeaseLost()
    if (!parts.webhooks) return 0
    await sql`SAVEPOINT webhook_events`.execute(tx)
    try {
      return await leaveErased(tx, saga, now)
    } catch (error) {
      await sql`ROLLBACK TO SAVEPOINT webhook_events`.execute(tx)
      parts.log.error({ err: error, erasure_id: saga.erasure_id }, 'events of an erasure were lost; the erasure stands')
      return 0
    }
  })
  if (told > 0) parts.wake(MEMORY_WEBHOOK_DELIVER)
  parts.log.info(
    { erasure_id: saga.erasure_id, org: saga.org, purge: saga.purge, stores: Object.keys(census.counts).length },
    'an erasure is complete',
  )
  for (const namespace of saga.namespaces ?? (await namespacesOf(parts, saga.org)))
    parts.publish({ type: 'namespace.changed', org: saga.org, namespace })
}

async function namespacesOf({ database }: EngineParts, org: string): Promise<string[]> {
  const rows = await database.reader.selectFrom('namespace').select('namespace').where('org', '=', org).execute()
  return rows.map((row) => row.namespace)
}
