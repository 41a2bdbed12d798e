import type { Output } from '../../../contract/declare.ts'
import type { Status } from '../../../contract/common.ts'
import { runGet as contract } from '../../../contract/ops/run/get.ts'
import { defineRead } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { eventView, eventsOf } from '../../store/run-events.ts'
import { runOf, runView, writtenBy, writtenCounts } from '../../store/runs.ts'

type Answer = Output<typeof contract>

export const runGet = defineRead(contract, async (input, { db, identity, caller, parts }): Promise<Answer> => {
  const list = listName(contract.name, identity.namespace, { run_id: input.run_id })
  const after = BigInt(readPlace(list, input.cursor, ['version'])?.[0] ?? '0')
  // What was asked before this belongs to it, written or not.
  await parts.ledger.flush()
  const run = await runOf(db, identity, input.run_id)
  if (!run || !withinBound(caller, run)) return { found: false, event_list: [], written: [], next_cursor: null }
  const counts = await writtenCounts(db, identity, [run], caller)
  const events = input.events ? await eventsOf(db, identity, run.run_id, after, input.limit + 1) : []
  const shown = events.slice(0, input.limit)
  const last = shown.at(-1)
  const written = await writtenBy(db, run, caller)
  return {
    found: true,
    ...runView(run, counts.get(run.run_id) ?? 0),
    event_list: shown.map(eventView),
    written: written.map(({ status, version, ...row }) => ({
      ...row,
      status: status as Status,
      version,
      version_text: version.toString(),
    })),
    next_cursor: events.length > input.limit && last ? writeCursor(list, [last.seq.toString()]) : null,
  }
})
