import type { Output } from '../../../contract/declare.ts'
import { runGrade as contract } from '../../../contract/ops/run/grade.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { workerCaller } from '../../jobs/worker-write.ts'
import { trialsOf } from '../../read/trials.ts'
import { lockKeys } from '../../store/memories.ts'
import { auditRun, holdRun, runOf, toldAt, writeRun, type Run } from '../../store/runs.ts'
import { assessTrials, decideTrials, type Candidates } from '../../write/proposal-policy.ts'

type Answer = Output<typeof contract>

const NONE: Candidates = new Map()
const isGradable = (run: Run): boolean => run.status === 'completed' || run.status === 'failed'

/** The trials that the grade touched, decided where the policy says so; told as far as the caller may see them. */
async function settleTrials(run: Run, candidates: Candidates, context: WriteContext): Promise<Answer['trials']> {
  const { tx, parts, identity, caller } = context
  const names = run.memories_used.map((key) => `${identity.org}/${identity.namespace}/${key}`)
  await lockKeys(tx, parts.database.kind, [...new Set(names)])
  // Whoever may grade lets the policy decide for everybody's proposals.
  const trials = await decideTrials(await trialsOf(tx, run, workerCaller('proposal_policy')), candidates, context)
  return trials
    .filter(({ head }) => withinBound(caller, head))
    .map(({ head, passes, fails, decision }) => ({ memory_key: head.memory_key, passes, fails, decision }))
}

export const runGrade = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  async assess({ run_id }, _prepared: undefined, context): Promise<Candidates> {
    const run = await runOf(context.db, context.identity, run_id)
    return run && withinBound(context.caller, run) && isGradable(run) ? assessTrials(run, context) : NONE
  },
  async run({ run_id, grade, reason }, context, _prepared, candidates): Promise<Answer> {
    const { tx, caller, actor } = context
    const run = await holdRun(context, run_id)
    const none = { graded: false, grade: null, changed: false, trials: [] }
    if (!run || !withinBound(caller, run)) return { found: false, reason: 'not_found', ...none }
    if (!isGradable(run)) return { found: true, reason: 'not_completed', ...none }
    const changed = run.grade !== grade || run.grade_reason !== reason
    if (changed) {
      await writeRun(tx, run, { grade, grade_reason: reason, graded_at: toldAt(context), graded_by: actor })
      await auditRun(contract.name, run, context)
    }
    return { found: true, graded: true, reason: '', grade, changed, trials: await settleTrials(run, candidates, context) }
  },
})
