import type { ErasureStatus, ErasureStepResult } from '../../contract/erasure.ts'
import { ERROR_TABLE } from '../../contract/errors.ts'
import { iso } from '../store/row-view.ts'
import type { Counts, SagaRow, StepRow } from './sagas.ts'
import { STEPS } from './store.ts'

/** How a saga is told. */

const FOREIGN = 'the saga failed; the error is in the server log'
const COMPLETED = 99
const ERROR = String.raw`(?:${Object.keys(ERROR_TABLE).join('|')}): .*|[A-Za-z_$][\w$]*`
const FORM = new RegExp(
  `^(?:max_attempts \\(\\d+\\) exceeded(?:; last: )?)?(?:(?:(?:${STEPS.join('|')}): )?(?:${ERROR}|ErasureResidueError: residue after erasure.*))?$`,
  's',
)

/** A stored reason, where it has one of the forms that are published; of another build's nothing is shown. */
export const shownReason = (reason: string): string => (FORM.test(reason) ? reason : FOREIGN)

const total = (counts: Counts): number => Object.values(counts).reduce((sum, left) => sum + left, 0)

/** What the last census said. */
export function censusView(saga: SagaRow) {
  const residue = saga.residue as Counts
  const isOver = saga.status !== 'in_progress'
  return {
    residue_count: total(residue),
    residue,
    verified_at: iso(saga.verified_at),
    census: isOver ? (saga.census as Counts | null) : null,
  }
}

/** Steps that have finished; 99 once the saga completed. */
export const currentStep = (saga: SagaRow, done: number): number => (saga.status === 'completed' ? COMPLETED : done)

function noteOf(row: StepRow, saga: SagaRow): string {
  if (row.done_at !== null && row.attempt < saga.attempts) return `skipped: done by attempt ${row.attempt}`
  const asked = {
    'external.erasers': saga.external,
    'purge.vacuum': saga.purge,
    'scrub.audit': saga.purge,
  } as Readonly<Record<string, boolean>>
  return asked[row.step] === false ? 'skipped: not asked' : ''
}

/** The steps that were begun, in order; of those done by an earlier attempt no rows are told again. */
export function stepResults(saga: SagaRow, rows: readonly StepRow[]): ErasureStepResult[] {
  const byName = new Map(rows.map((row) => [row.step, row]))
  return STEPS.flatMap((step) => {
    const row = byName.get(step)
    if (!row) return []
    const note = noteOf(row, saga)
    const isOld = row.attempt < saga.attempts
    return [{ step, rows_affected: isOld ? 0 : Number(row.rows_affected), note, stores: isOld ? {} : (row.stores as Counts) }]
  })
}

/** What erasure.request answers, of a saga as it now stands. */
export function sagaAnswer(saga: SagaRow, rows: readonly StepRow[]) {
  return {
    erasure_id: saga.erasure_id,
    status: saga.status as ErasureStatus,
    steps: stepResults(saga, rows),
    requested_at: saga.requested_at.toISOString(),
    completed_at: iso(saga.completed_at),
    ...censusView(saga),
    purge: saga.purge,
    failure_reason: saga.status === 'failed' ? shownReason(saga.failure_reason) : '',
    steps_completed: rows
      .filter((row) => row.done_at !== null)
      .map((row) => row.step)
      .toSorted(),
  }
}
