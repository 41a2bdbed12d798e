import type { Output } from '../../../contract/declare.ts'
import { runGrade as contract } from '../../../contract/ops/run/grade.ts'
import { defineWrite } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { trialsOf } from '../../read/trials.ts'
import { auditRun, holdRun, toldAt, writeRun } from '../../store/runs.ts'

export const runGrade = defineWrite(contract, {
  async run({ run_id, grade, reason }, context): Promise<Output<typeof contract>> {
    const { tx, caller, actor } = context
    const run = await holdRun(context, run_id)
    const none = { graded: false, grade: null, changed: false, trials: [] }
    if (!run || !withinBound(caller, run)) return { found: false, reason: 'not_found', ...none }
    if (run.status !== 'completed' && run.status !== 'failed') return { found: true, reason: 'not_completed', ...none }
    const changed = run.grade !== grade || run.grade_reason !== reason
    if (changed) {
      await writeRun(tx, run, { grade, grade_reason: reason, graded_at: toldAt(context), graded_by: actor })
      await auditRun(contract.name, run, context)
    }
    return { found: true, graded: true, reason: '', grade, changed, trials: await trialsOf(tx, run, caller) }
  },
})
