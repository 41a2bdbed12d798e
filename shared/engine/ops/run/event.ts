import type { Output } from '../../../contract/declare.ts'
import { runEvent as contract } from '../../../contract/ops/run/event.ts'
import { defineWrite } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { appendEvents, type NewEvent } from '../../store/run-events.ts'
import { holdRun, toldAt } from '../../store/runs.ts'

export const runEvent = defineWrite(contract, {
  async run({ run_id, events }, context): Promise<Output<typeof contract>> {
    const { tx, identity, caller } = context
    const run = await holdRun(context, run_id)
    if (!run || !withinBound(caller, run)) return { found: false, appended: 0, last_seq: 0 }
    const { org, namespace, agent, user_id, session_id } = identity
    const place = { org, namespace, agent, user_id, session_id }
    const told = events.map((event): NewEvent => ({
      ...place,
      ...event,
      at: event.at === undefined ? toldAt(context) : new Date(event.at),
      code: '',
      duration_ms: event.duration_ms ?? null,
    }))
    const last = await appendEvents(tx, identity, run_id, told)
    return { found: true, appended: told.length, last_seq: Number(last ?? 0n) }
  },
})
