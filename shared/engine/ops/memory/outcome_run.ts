import type { Input, OpContract, Output } from '../../../contract/declare.ts'
import { memoryOutcomeRun as contract } from '../../../contract/ops/memory/outcome_run.ts'
import { REGISTRY } from '../../../contract/registry.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { rowsOfKeys } from '../../read/run-memories.ts'
import { headById, lockKeys, type Head } from '../../store/memories.ts'
import { servedKeys } from '../../store/run-events.ts'
import { runOf, type Run } from '../../store/runs.ts'
import { transact } from '../../transact.ts'
import { isLive } from '../../write/state.ts'
import { tellOutcome } from '../../write/tell-outcome.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>
type ToldRow = Answer['rows'][number]

const reads = (): string[] =>
  Object.values<OpContract>(REGISTRY)
    .filter((op) => op.kind === 'read' && (op.name.startsWith('memory.') || op.name === 'context.pack'))
    .map((op) => op.name)

/** Keys that a run used, as it said when it ended; before that those served to it. */
async function keysOf(run: Run, { db }: PrepareContext): Promise<{ readonly keys: readonly string[]; readonly ended: boolean }> {
  if (run.completion_sha256 !== '') return { keys: [...new Set(run.memories_used)], ended: true }
  return { keys: await servedKeys(db, run, run.run_id, reads()), ended: false }
}

/** One row in a transaction of its own, as memory.outcome tells it. */
async function tellOne(seen: Head, input: Call, isCounted: boolean, context: PrepareContext): Promise<ToldRow> {
  const { run_id, outcome, weight, note } = input
  const args = { run_id, outcome, weight, note }
  const replay = context.replay && { op: 'memory.outcome', via: contract.name, args, row: seen.memory_id }
  const row = { memory_key: seen.memory_key, memory_id: seen.memory_id }
  return transact({ ...context, ...(replay && { replay }) }, async (write): Promise<ToldRow> => {
    await lockKeys(write.tx, write.parts.database.kind, [`${seen.org}/${seen.namespace}/${seen.memory_key}`])
    const head = await headById(write.tx, seen.org, seen.memory_id)
    if (!head || !isLive(head, write.now)) return { ...row, recorded: false, reason: 'not_found', quarantined: false }
    const told = await tellOutcome(head, { outcome, weight, run_id, note, isCounted }, contract.name, write)
    return { ...row, recorded: told.recorded, reason: told.recorded ? '' : 'repeated', quarantined: told.quarantined }
  })
}

export const memoryOutcomeRun = defineBatch(contract, async (input, context): Promise<Answer> => {
  const { db, identity, caller, now, parts } = context
  // What was asked before this was served to the run, written or not.
  await parts.ledger.flush()
  const run = await runOf(db, identity, input.run_id)
  if (!run || !withinBound(caller, run)) return { found: false, run_id: input.run_id, recorded: 0, rows: [] }
  const { keys, ended } = await keysOf(run, context)
  const held = await rowsOfKeys(db, run, keys, caller)
  const rows: ToldRow[] = []
  for (const key of keys) {
    const heads = held.get(key) ?? []
    const live = heads.filter((head) => isLive(head, now))
    // The use was counted when the run ended, unless it told an outcome then, which this repeats.
    for (const head of live) rows.push(await tellOne(head, input, ended, context))
    if (live.length === 0)
      rows.push({ memory_key: key, memory_id: heads[0]?.memory_id ?? '', recorded: false, reason: 'not_found', quarantined: false })
  }
  return { found: true, run_id: input.run_id, recorded: rows.filter((row) => row.recorded).length, rows }
})
