import { sql } from 'kysely'
import type { Database, Tx } from '../db/database.ts'
import type { JobNotes, JobState } from './job.ts'

/** How long a lease holds without a sign of life. */
export const LEASE_MS = 60_000

/**
 * Takes the lease of a worker: free, run out, or the caller's own, and not run since `ranBefore`. One statement, so
 * that of several processes on one Postgres one gets it.
 */
export async function takeLease(database: Database, worker: string, owner: string, now: Date, ranBefore: Date | null): Promise<boolean> {
  return database.transaction(async (tx) => {
    const until = new Date(now.getTime() + LEASE_MS)
    const { rows } = await sql`INSERT INTO loom.worker_lease AS l (worker, owner, expires_at) VALUES (${worker}, ${owner}, ${until})
      ON CONFLICT (worker) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
      WHERE (l.expires_at IS NULL OR l.expires_at <= ${now} OR l.owner = ${owner})
        AND (${ranBefore}::timestamptz IS NULL OR l.ran_at IS NULL OR l.ran_at <= ${ranBefore})
      RETURNING worker`.execute(tx)
    return rows.length === 1
  })
}

/** Keeps a lease. False: another process has it now, and the work must stop. */
export async function renewLease(database: Database, worker: string, owner: string, now: Date): Promise<boolean> {
  const { rows } = await sql`UPDATE loom.worker_lease SET expires_at = ${new Date(now.getTime() + LEASE_MS)}
    WHERE worker = ${worker} AND owner = ${owner} RETURNING worker`.execute(database.reader)
  return rows.length === 1
}

/** Gives a lease back; `ranAt` when the run ended well and nothing was left over. */
export async function endLease(database: Database, worker: string, owner: string, ranAt: Date | null): Promise<void> {
  await sql`UPDATE loom.worker_lease SET expires_at = NULL, ran_at = coalesce(${ranAt}::timestamptz, ran_at)
    WHERE worker = ${worker} AND owner = ${owner}`.execute(database.reader)
}

/** When each worker last ended. */
export async function ranAt(database: Database): Promise<Map<string, Date | null>> {
  const rows = await database.reader.selectFrom('worker_lease').select(['worker', 'ran_at']).execute()
  return new Map(rows.map((row) => [row.worker, row.ran_at]))
}

/** A data folder has one process: whoever held a lease in it is gone. */
export async function dropLeases(database: Database): Promise<void> {
  await sql`UPDATE loom.worker_lease SET expires_at = NULL WHERE expires_at IS NOT NULL`.execute(database.reader)
  await sql`UPDATE loom.device SET push_until = NULL WHERE push_until IS NOT NULL`.execute(database.reader)
}

export async function readState(database: Database, worker: string, now: () => Date): Promise<JobState> {
  const row = await database.reader.selectFrom('job').select('state').where('job_id', '=', worker).executeTakeFirst()
  const write = async (notes: JobNotes, tx: Tx): Promise<void> => {
    const at = now()
    const state = JSON.stringify(notes)
    await tx
      .insertInto('job')
      .values({ job_id: worker, worker, org: '', namespace: '', state, created_at: at, updated_at: at })
      .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ state, updated_at: at }))
      .execute()
  }
  return {
    notes: (row?.state ?? {}) as JobNotes,
    save: (notes, tx) => (tx ? write(notes, tx) : database.transaction((own) => write(notes, own))),
  }
}
