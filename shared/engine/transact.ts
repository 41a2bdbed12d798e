import type { EngineEvent } from '../contract/events.ts'
import type { Tx } from './db/database.ts'
import type { CallContext, WriteContext } from './handler.ts'

/**
 * Runs work in one transaction. What it left for after the commit is done when this answers: memory follows the store,
 * then events go out. After a rollback only what was left for it is written.
 */
export async function transact<T>(context: CallContext, work: (context: WriteContext) => Promise<T>): Promise<T> {
  const { parts } = context
  const events: EngineEvent[] = []
  const onCommit: (() => void)[] = []
  const onRollback: ((tx: Tx) => Promise<void>)[] = []
  try {
    const made = await parts.database.transaction((tx) =>
      work({
        ...context,
        tx,
        emit: (event) => void events.push(event),
        afterCommit: (task) => void onCommit.push(task),
        afterRollback: (task) => void onRollback.push(task),
      }),
    )
    for (const task of onCommit) task()
    for (const event of events) parts.publish(event)
    return made
  } catch (error) {
    for (const task of onRollback) await parts.database.transaction(task)
    throw error
  }
}
