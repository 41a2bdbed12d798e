import type { Input, Output } from '../../contract/declare.ts'
import { memoryOutcomeRun } from '../../contract/ops/memory/outcome_run.ts'
import type { runComplete } from '../../contract/ops/run/complete.ts'
import type { WriteContext } from '../handler.ts'
import type { RunRows } from '../read/run-memories.ts'
import { countUses } from '../store/outcomes.ts'
import { isLive } from './state.ts'
import { tellOutcome } from './tell-outcome.ts'

/** What a run that ends says of the memories that it used, by its `memories_used` and `recalled_keys`. */

type Call = Input<typeof runComplete>
type Answer = Output<typeof runComplete>

/** How many of the keys hold a row, which hold none, and which wait for the run's grade. */
export function usesOf(keys: readonly string[], rows: RunRows): Pick<Answer, 'used' | 'used_unknown' | 'awaiting_grade'> {
  const unique = [...new Set(keys)]
  const unknown = unique.filter((key) => !rows.has(key))
  const proposed = unique.filter((key) => rows.get(key)?.some((row) => row.status === 'proposed'))
  return { used: unique.length - unknown.length, used_unknown: unknown, awaiting_grade: proposed }
}

const idsOf = (rows: RunRows, now: Date): string[] =>
  [...rows.values()].flatMap((held) => held.filter((row) => isLive(row, now)).map((row) => row.memory_id))

/** Tells the outcome of every live row that was used, or counts the use alone. */
export async function tellUses(rows: RunRows, input: Call, context: WriteContext): Promise<number> {
  const { tx, identity, now } = context
  const { outcome, weight, run_id } = input
  if (outcome === null) {
    await countUses(tx, identity.org, idsOf(rows, now), 'used', now)
    return 0
  }
  let applied = 0
  for (const head of [...rows.values()].flat()) {
    if (!isLive(head, now)) continue
    const told = await tellOutcome(head, { outcome, weight, run_id, note: '' }, memoryOutcomeRun.name, context)
    if (told.recorded) applied++
  }
  return applied
}

/** What the run was shown counts as recalled, no more. */
export async function tellRecalls(rows: RunRows, { tx, identity, now }: WriteContext): Promise<void> {
  await countUses(tx, identity.org, idsOf(rows, now), 'recalled', now)
}
