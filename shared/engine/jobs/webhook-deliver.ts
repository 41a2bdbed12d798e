import { nextDue } from '../store/webhook-endings.ts'
import { MEMORY_WEBHOOK_DELIVER } from '../webhooks/outbox.ts'
import { deliveryPass } from '../webhooks/pass.ts'
import type { Job } from './job.ts'

/** From the start of a pass to the next while there is work. */
const APART_MS = 5_000

/**
 * Sends the events that writes left, in passes that start 5 s apart while there is work; else every 30 s, or when a
 * write wakes it.
 */
export const webhookDeliver: Job = {
  name: MEMORY_WEBHOOK_DELIVER,
  everyMs: 30_000,
  host: 'server',
  async run(parts, signal, state) {
    const { webhooks, clock, database } = parts
    if (!webhooks) return 'done'
    const began = clock()
    // A write may wake it too early, in this process or in another one.
    const early = Number(state.notes['busyFrom'] ?? 0) + APART_MS - began
    if (early > 0 && early <= APART_MS) return { inMs: early }
    await deliveryPass(parts, webhooks, signal)
    const due = webhooks.config.deliverEnabled ? await nextDue(database.reader) : null
    const inMs = due === null ? webhookDeliver.everyMs : Math.max(due.getTime(), began + APART_MS) - clock()
    const isBusy = inMs < webhookDeliver.everyMs
    if (isBusy || state.notes['busyFrom'] !== undefined) await state.save(isBusy ? { busyFrom: began } : {})
    return isBusy ? { inMs: Math.max(inMs, 0) } : 'done'
  },
}
