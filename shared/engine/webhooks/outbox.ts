import { sql } from 'kysely'
import { eventOf } from '../../domain/webhook/event-of.ts'
import type { WriteContext } from '../handler.ts'
import { insertEvents, type NewEvent } from '../store/webhook-outbox.ts'
import { isLive } from '../write/state.ts'
import { eventBody, eventId } from './event.ts'
import type { Listeners } from './listeners.ts'
import type { RowChange } from './row-change.ts'

/** The one name of the pass that sends what is stored here. */
export const MEMORY_WEBHOOK_DELIVER = 'memory_webhook_deliver'

type Told = Pick<NewEvent, 'type'> & { readonly change: RowChange }

function toldOf(changes: readonly RowChange[], now: Date): Told[] {
  return changes.flatMap((change) => {
    const wasLive = !change.unseen && change.before !== null && isLive(change.before, now)
    const type = eventOf({ ...change, wasLive })
    return type === null ? [] : [{ type, change }]
  })
}

function eventsFor({ type, change }: Told, webhookId: string, context: WriteContext): NewEvent {
  const { org, namespace, agent, user_id, session_id, memory_key, memory_id, version } = change.after
  const row = { org, namespace, agent, user_id, session_id, memory_key, memory_id, version, occurred_at: context.now }
  const event_id = eventId(webhookId, type, { ...row, erasure_id: '' })
  const by = change.by ?? { actor: context.actor, requestId: context.caller.requestId }
  const body = eventBody(type, event_id, { ...row, actor: by.actor, request_id: by.requestId, erasure_id: '' })
  return { ...row, webhook_id: webhookId, event_id, type, body }
}

/**
 * Leaves an event for each change and webhook that takes it, in the transaction of the write. A failure is logged and
 * loses the events; the write stands (WHK143).
 */
export async function leaveEvents(changes: readonly RowChange[], listeners: Listeners, context: WriteContext): Promise<void> {
  const told = toldOf(changes, context.now)
  if (told.length === 0) return
  const orgs = [...new Set(told.map(({ change }) => change.after.org))]
  const isQuiet = ({ change }: Told): boolean => listeners.known(change.after.org)?.has(change.after.namespace) === false
  if (told.every(isQuiet)) return
  const { tx, parts } = context
  await sql`SAVEPOINT webhook_events`.execute(tx)
  try {
    const byOrg = new Map<string, Awaited<ReturnType<Listeners['read']>>>()
    for (const org of orgs) byOrg.set(org, listeners.known(org) ?? (await listeners.read(tx, org)))
    const events = told.flatMap((one) => {
      const { org, namespace } = one.change.after
      const takers = (byOrg.get(org)?.get(namespace) ?? []).filter(({ events: types }) => types.has(one.type))
      return takers.map(({ webhookId }) => eventsFor(one, webhookId, context))
    })
    if (events.length > 0) {
      await insertEvents(tx, events)
      context.afterCommit(() => parts.wake(MEMORY_WEBHOOK_DELIVER))
    }
    await sql`RELEASE SAVEPOINT webhook_events`.execute(tx)
  } catch (error) {
    await sql`ROLLBACK TO SAVEPOINT webhook_events`.execute(tx)
    parts.log.error({ err: error, request_id: context.caller.requestId, events: told.length }, 'change events were lost; the write stands')
  }
}
