import type { WriteContext } from '../handler.ts'
import type { Head } from '../store/memories.ts'
import { countOutcome, keepRunOutcome, tallyOf, type Outcome, type Tally } from '../store/outcomes.ts'
import { rejectRow } from './reject-row.ts'
import { lockOf } from './state.ts'

export interface Telling extends Outcome {
  /** A run counts once per row; "" is no run. */
  readonly run_id: string
  readonly note: string
  /** The use was counted when the run was completed. */
  readonly isCounted?: boolean
}

export interface Told {
  /** The row as it now is. */
  readonly head: Head
  readonly tally: Tally
  readonly recorded: boolean
  readonly quarantined: boolean
}

/** A locked or pinned row keeps its status, and goes on counting (CHG037). */
const isGuarded = (head: Head, now: Date): boolean => head.pinned || lockOf(head, now) !== null

/** Counts how acting on a live row went; enough negatives in a row quarantine it (CHG052). */
export async function tellOutcome(head: Head, telling: Telling, op: string, context: WriteContext): Promise<Told> {
  const { tx, now, actor, parts } = context
  const { outcome, weight, run_id, note, isCounted = false } = telling
  const told = { org: head.org, memory_id: head.memory_id, run_id, outcome, weight, note, actor, at: now }
  if (run_id !== '' && !(await keepRunOutcome(tx, told)))
    return { head, tally: await tallyOf(tx, head.org, head.memory_id), recorded: false, quarantined: false }
  const tally = await countOutcome(tx, head.org, head.memory_id, { outcome, weight }, isCounted ? 0 : 1)
  const quarantined = outcome === 'negative' && tally.streak >= parts.config.quarantineNegatives && !isGuarded(head, now)
  return { head: quarantined ? await rejectRow(head, op, context) : head, tally, recorded: true, quarantined }
}
