import { sql, type Selectable } from 'kysely'
import type { Database, Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import type { Scope } from './scope.ts'
import type { StepName } from './store.ts'

/** The ledger of sagas in the database. */

export type SagaRow = Selectable<Tables['erasure_saga']>
export type StepRow = Selectable<Tables['erasure_step']>
export type Counts = Readonly<Record<string, number>>

/** How long a running saga is nobody else's without a sign of life. */
export const LEASE_MS = 60_000

export const scopeOf = (saga: SagaRow): Scope => ({
  org: saga.org,
  seq: saga.seq,
  erasureId: saga.erasure_id,
  namespaces: saga.namespaces,
  userId: saga.user_id,
  collection: saga.collection,
  purge: saga.purge,
})

export async function sagaById(db: Queryable, erasureId: string, org: string | null): Promise<SagaRow | null> {
  const row = await db
    .selectFrom('erasure_saga')
    .selectAll()
    .where('erasure_id', '=', erasureId)
    .$if(org !== null, (query) => query.where('org', '=', org ?? ''))
    .executeTakeFirst()
  return row ?? null
}

export async function stepsOf(db: Queryable, org: string, erasureId: string): Promise<StepRow[]> {
  return db.selectFrom('erasure_step').selectAll().where('org', '=', org).where('erasure_id', '=', erasureId).execute()
}

/** A running saga of the same scope and purge. */
export async function runningLike(
  tx: Tx,
  like: Pick<SagaRow, 'org' | 'namespaces' | 'user_id' | 'collection' | 'purge'>,
): Promise<string | null> {
  const { rows } = await sql<{
    erasure_id: string
  }>`SELECT erasure_id FROM loom.erasure_saga WHERE org = ${like.org} AND status = 'in_progress'
    AND namespaces IS NOT DISTINCT FROM ${like.namespaces}::text[] AND user_id = ${like.user_id} AND collection = ${like.collection}
    AND purge = ${like.purge} LIMIT 1`.execute(tx)
  return rows[0]?.erasure_id ?? null
}

/** Thrown where another process goes on with the saga: this one stops, and changes nothing more. */
export class LeaseLost extends Error {
  override readonly name = 'LeaseLost'
}

/** Keeps the saga for its runner, in the transaction of a batch. @throws LeaseLost when it is not the runner's any more. */
export async function renewSaga(tx: Tx, saga: Pick<SagaRow, 'org' | 'erasure_id'>, owner: string, now: Date): Promise<void> {
  const { numAffectedRows } = await sql`UPDATE loom.erasure_saga SET lease_until = ${new Date(now.getTime() + LEASE_MS)}
    WHERE org = ${saga.org} AND erasure_id = ${saga.erasure_id} AND lease_owner = ${owner} AND status = 'in_progress'`.execute(tx)
  if (numAffectedRows !== 1n) throw new LeaseLost()
}

/** Takes a saga that is due: failed and its wait over, or in progress with nobody's sign of life. Null: none is. */
export async function takeDue(database: Database, owner: string, now: Date): Promise<SagaRow | null> {
  const until = new Date(now.getTime() + LEASE_MS)
  return database.transaction(async (tx) => {
    const { rows } =
      await sql<SagaRow>`UPDATE loom.erasure_saga s SET status = 'in_progress', attempts = s.attempts + 1, completed_at = NULL,
        census = NULL, verified_at = NULL, lease_owner = ${owner}, lease_until = ${until}, next_attempt_at = NULL
      WHERE (s.org, s.erasure_id) = (SELECT d.org, d.erasure_id FROM loom.erasure_saga d
        WHERE (d.status = 'failed' AND d.next_attempt_at <= ${now})
          OR (d.status = 'in_progress' AND (d.lease_until IS NULL OR d.lease_until <= ${now}))
        ORDER BY d.requested_at LIMIT 1 FOR UPDATE SKIP LOCKED)
      RETURNING s.*`.execute(tx)
    return rows[0] ?? null
  })
}

/** Gives up what has failed as often as it may: it stays failed, its fence goes on holding, and a new request starts anew. */
export async function giveUp(database: Database, maxAttempts: number, now: Date): Promise<void> {
  await database.transaction((tx) =>
    sql`UPDATE loom.erasure_saga SET status = 'failed', next_attempt_at = NULL, lease_until = NULL, completed_at = coalesce(completed_at, ${now}),
        failure_reason = ${`max_attempts (${maxAttempts}) exceeded`} || CASE WHEN failure_reason = '' THEN '' ELSE '; last: ' || failure_reason END
      WHERE attempts >= ${maxAttempts} AND ((status = 'failed' AND next_attempt_at <= ${now})
        OR (status = 'in_progress' AND (lease_until IS NULL OR lease_until <= ${now})))`.execute(tx),
  )
}

/** Gives a saga back unfinished: whoever looks next goes on with it. */
export async function leaveSaga(database: Database, saga: SagaRow, owner: string): Promise<void> {
  await sql`UPDATE loom.erasure_saga SET lease_until = NULL WHERE org = ${saga.org} AND erasure_id = ${saga.erasure_id}
    AND lease_owner = ${owner} AND status = 'in_progress'`.execute(database.reader)
}

/** Adds the rows of a batch to what the attempt has done of a step; the last one marks it done. */
export async function noteStep(
  tx: Tx,
  saga: SagaRow,
  step: StepName,
  { affected, key, done }: { readonly affected: number; readonly key: string; readonly done: Date | null },
): Promise<void> {
  const stores = affected > 0 && key !== '' ? JSON.stringify({ [key]: affected }) : '{}'
  await sql`INSERT INTO loom.erasure_step AS s (org, erasure_id, step, attempt, rows_affected, stores, done_at)
    VALUES (${saga.org}, ${saga.erasure_id}, ${step}, ${saga.attempts}, ${affected}, ${stores}::jsonb, ${done})
    ON CONFLICT (org, erasure_id, step) DO UPDATE SET attempt = excluded.attempt, done_at = excluded.done_at,
      rows_affected = CASE WHEN s.attempt = excluded.attempt THEN s.rows_affected ELSE 0 END + excluded.rows_affected,
      stores = CASE WHEN s.attempt <> excluded.attempt THEN excluded.stores WHEN ${affected} = 0 OR ${key} = '' THEN s.stores
        ELSE s.stores || jsonb_build_object(${key}::text, coalesce((s.stores ->> ${key})::int8, 0) + ${affected}::int8) END`.execute(tx)
}

/** Steps whose stores were found not empty are to be done again. */
export async function unmarkSteps(tx: Tx, saga: SagaRow, steps: readonly StepName[]): Promise<void> {
  await sql`UPDATE loom.erasure_step SET done_at = NULL WHERE org = ${saga.org} AND erasure_id = ${saga.erasure_id}
    AND step = any(${[...steps]}::text[])`.execute(tx)
}

export async function dropTargets(tx: Tx, { org, erasureId }: Pick<Scope, 'org' | 'erasureId'>): Promise<void> {
  await sql`DELETE FROM loom.erasure_target WHERE org = ${org} AND erasure_id = ${erasureId}`.execute(tx)
}
