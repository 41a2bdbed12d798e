import type { EngineEvent } from '../contract/events.ts'
import type { Tx } from './db/database.ts'
import { fencedMeanwhile, isFencedSince } from './erasure/numbers.ts'
import type { CallContext, WriteContext } from './handler.ts'
import { fillCollapses } from './store/collapse-groups.ts'
import { indexRows } from './store/index-rows.ts'
import { leaveEvents } from './webhooks/outbox.ts'
import type { RowChange } from './webhooks/row-change.ts'

/**
 * Runs work in one transaction. What it left for after the commit is done when this answers: memory follows the store,
 * then events go out. After a rollback only what was left for it is written.
 */
export async function transact<T>(context: CallContext, work: (context: WriteContext) => Promise<T>): Promise<T> {
  const { parts } = context
  const events: EngineEvent[] = []
  const changes: RowChange[] = []
  const onCommit: (() => void)[] = []
  const onRollback: ((tx: Tx) => Promise<void>)[] = []
  let isCommitting = false
  try {
    const made = await parts.database.transaction(async (tx) => {
      await enter(tx, context)
      const write: WriteContext = {
        ...context,
        tx,
        changed: (change) => void (parts.webhooks && changes.push(change)),
        emit: (event) => void events.push(event),
        afterCommit: (task) => void onCommit.push(task),
        afterRollback: (task) => void onRollback.push(task),
      }
      const done = await work(write)
      await parts.sync?.record(write, done)
      if (parts.webhooks && changes.length > 0) await leaveEvents(changes, parts.webhooks.listeners, write)
      isCommitting = true
      return done
    })
    for (const task of onCommit) task()
    for (const event of events) parts.publish(event)
    return made
  } catch (error) {
    if (isCommitting)
      await readAgain(events, context).catch((err: unknown) => parts.log.error({ err }, 'the index may be behind the store'))
    for (const task of onRollback) await parts.database.transaction(task)
    throw error
  }
}

/** @throws LoomError UNAVAILABLE with `fenced`, when what the call has read may have been erased since. */
async function enter(tx: Tx, { identity, parts, erasureSince }: CallContext): Promise<void> {
  if (identity.org === '') return
  const number = await parts.numbers.enter(tx, identity.org)
  if (erasureSince !== undefined && number > erasureSince && (await isFencedSince(tx, identity, erasureSince))) throw fencedMeanwhile()
}

/** A commit whose answer was lost may have come through: what it would have changed is read from the store again. */
async function readAgain(events: readonly EngineEvent[], { parts }: CallContext): Promise<void> {
  const { reader } = parts.database
  await fillCollapses(reader, parts.collapses)
  for (const event of events) {
    if (event.type === 'memory.changed') {
      await indexRows(reader, parts.index, event.org, [event.memory_id], parts.models.embedder?.id ?? null)
    } else if (event.type === 'namespace.changed') parts.settings.forget(event.org, event.namespace)
    parts.publish(event)
  }
}
