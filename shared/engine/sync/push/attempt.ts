import { sql } from 'kysely'
import { isLoomError, type LoomError } from '../../../contract/errors.ts'
import type { EngineEvent } from '../../../contract/events.ts'
import type { Tx } from '../../db/database.ts'
import type { WriteContext } from '../../handler.ts'
import type { RowChange } from '../../webhooks/row-change.ts'
import { isPassing } from './outcome.ts'

/** An operation that ran inside the transaction of its change. Until `keep`, it can be taken back. */
export interface Ran {
  readonly answer: Readonly<Record<string, unknown>>
  /** Lets its events, what webhooks hear of, and after-commit work go out with the transaction. */
  keep(): void
  undo(): Promise<void>
}

/**
 * Runs an operation so that a refusal, or a decision against it, leaves the transaction as it was.
 * @throws what may go better another time; the transaction is to be rolled back then
 */
export async function attempt(
  write: WriteContext,
  work: (write: WriteContext) => Promise<Record<string, unknown>>,
): Promise<Ran | { readonly refusal: LoomError }> {
  const events: EngineEvent[] = []
  const changes: RowChange[] = []
  const tasks: (() => void)[] = []
  const onRollback: ((tx: Tx) => Promise<void>)[] = []
  const undo = async (): Promise<void> => {
    await sql`ROLLBACK TO SAVEPOINT change`.execute(write.tx)
  }
  await sql`SAVEPOINT change`.execute(write.tx)
  try {
    const answer = await work({
      ...write,
      changed: (change) => void changes.push(change),
      emit: (event) => void events.push(event),
      afterCommit: (task) => void tasks.push(task),
      afterRollback: (task) => void onRollback.push(task),
    })
    return {
      answer,
      keep() {
        for (const change of changes) write.changed(change)
        for (const event of events) write.emit(event)
        for (const task of tasks) write.afterCommit(task)
      },
      undo,
    }
  } catch (error) {
    if (!isLoomError(error) || isPassing(error)) throw error
    await undo()
    for (const task of onRollback) await task(write.tx)
    return { refusal: error }
  }
}
