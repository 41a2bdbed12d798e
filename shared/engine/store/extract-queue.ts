import { sql, type Selectable } from 'kysely'
import { parseJson, stringifyJson } from '../../contract/json.ts'
import type { Claims } from '../../contract/ops/engine/info.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { CallContext } from '../handler.ts'

/** Transcripts that wait for the model, with who asked. */

/** Name of the job that takes them. */
export const EXTRACT = 'extract'

export type Queued = Selectable<Tables['extract_queue']>

export async function enqueue(tx: Tx, queueId: string, input: { readonly messages: readonly unknown[] }, call: CallContext): Promise<void> {
  const { identity, caller, now } = call
  const { org, namespace, agent, user_id, session_id } = identity
  await tx
    .insertInto('extract_queue')
    .values({
      org,
      namespace,
      agent,
      user_id,
      session_id,
      queue_id: queueId,
      input: stringifyJson({ ...input, defer: false }),
      messages: input.messages.length,
      claims: stringifyJson(caller.claims),
      request_id: caller.requestId,
      due_at: now,
      created_at: now,
    })
    .execute()
}

/** The next one that is due. */
export async function nextQueued(db: Queryable, now: Date): Promise<Queued | null> {
  const row = await db.selectFrom('extract_queue').selectAll().where('due_at', '<=', now).orderBy('due_at').limit(1).executeTakeFirst()
  return row ?? null
}

export const inputOf = (queued: Queued): unknown => parseJson(queued.input)
export const askedBy = (queued: Queued): Claims => parseJson(queued.claims) as Claims

export async function dequeue(tx: Tx, { org, queue_id }: Queued): Promise<void> {
  await tx.deleteFrom('extract_queue').where('org', '=', org).where('queue_id', '=', queue_id).execute()
}

/** Tried again later. */
export async function putOff(tx: Tx, { org, queue_id }: Queued, until: Date): Promise<void> {
  await tx
    .updateTable('extract_queue')
    .set({ due_at: until, attempts: sql<number>`attempts + 1` })
    .where('org', '=', org)
    .where('queue_id', '=', queue_id)
    .execute()
}
