import type { Input, Output } from '../../../contract/declare.ts'
import { isLoomError, LoomError } from '../../../contract/errors.ts'
import { memoryApply as contract } from '../../../contract/ops/memory/apply.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { targetsOf } from '../../read/apply-targets.ts'
import { headById, lockKeys, type Head } from '../../store/memories.ts'
import { transact } from '../../transact.ts'
import { actionOf, type RowAction } from '../../write/apply-action.ts'
import { isLive } from '../../write/state.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>
type AppliedRow = Answer['rows'][number]
type Outcome = Pick<AppliedRow, 'outcome' | 'code' | 'message'>

const GONE: Outcome = { outcome: 'refused', code: 'NOT_FOUND', message: 'No live row of this agent holds the key.' }

/** One row in a transaction of its own; a refusal is its outcome. A dry run passes the same guards. */
async function applyOne(head: Head, action: RowAction, input: Call, context: PrepareContext): Promise<Outcome> {
  try {
    const replay = context.replay && { ...context.replay, row: head.memory_id }
    return await transact({ ...context, ...(replay && { replay }) }, async (write): Promise<Outcome> => {
      await lockKeys(write.tx, write.parts.database.kind, [`${head.org}/${head.namespace}/${head.memory_key}`])
      const now = await headById(write.tx, head.org, head.memory_id)
      if (!now || !isLive(now, write.now)) return GONE
      const work = action(now, write)
      if (work === null) return { outcome: 'unchanged', code: '', message: '' }
      if (!input.dry_run) await work()
      return { outcome: input.dry_run ? 'would_apply' : 'applied', code: '', message: '' }
    })
  } catch (error) {
    if (isLoomError(error)) return { outcome: 'refused', code: error.code, message: error.message }
    throw error
  }
}

function rowOf({ memory_key, memory_id, agent, user_id, session_id, sensitivity, excerpt }: Head, outcome: Outcome): AppliedRow {
  return { memory_key, memory_id, agent, user_id, session_id, ...outcome, excerpt: sensitivity === 'high' ? '' : excerpt }
}

export const memoryApply = defineBatch(contract, async (input, context): Promise<Answer> => {
  if (input.agent === '*')
    throw new LoomError('INVALID_ARGUMENT', 'agent must name one agent: rows of every agent are not changed at once.', { field: 'agent' })
  const action = actionOf(input, contract.name, context.now)
  const targets = await targetsOf(input, context)
  const { agent, user_id, session_id } = context.identity
  const rows: AppliedRow[] = []
  for (const head of targets.heads) rows.push(rowOf(head, await applyOne(head, action, input, context)))
  for (const memory_key of targets.missing) rows.push({ memory_key, memory_id: '', agent, user_id, session_id, ...GONE, excerpt: '' })
  const count = (outcome: AppliedRow['outcome']): number => rows.filter((row) => row.outcome === outcome).length
  return {
    dry_run: input.dry_run,
    matched: targets.matched,
    truncated: targets.matched > targets.heads.length,
    totals: { would_apply: count('would_apply'), applied: count('applied'), unchanged: count('unchanged'), refused: count('refused') },
    rows,
  }
})
