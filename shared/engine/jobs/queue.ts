import type { Queryable, Tx } from '../db/database.ts'
import type { JobNotes } from './job.ts'

/** A piece of work on one namespace, gone when it is done. */
export interface Piece {
  readonly id: string
  readonly org: string
  readonly namespace: string
  readonly notes: JobNotes
  readonly queuedAt: Date
}

/** Queues work on a namespace with the change that calls for it; work under way starts over. */
export async function queuePiece(tx: Tx, worker: string, org: string, namespace: string, now: Date): Promise<void> {
  await tx
    .insertInto('job')
    .values({ job_id: `${worker}/${org}/${namespace}`, worker, org, namespace, state: '{}', created_at: now, updated_at: now })
    .onConflict((conflict) => conflict.column('job_id').doUpdateSet({ state: '{}', created_at: now, updated_at: now }))
    .execute()
}

export async function nextPiece(db: Queryable, worker: string): Promise<Piece | null> {
  const row = await db
    .selectFrom('job')
    .select(['job_id', 'org', 'namespace', 'state', 'created_at'])
    .where('worker', '=', worker)
    .where('job_id', '<>', worker)
    .orderBy('created_at')
    .limit(1)
    .executeTakeFirst()
  return row ? { id: row.job_id, org: row.org, namespace: row.namespace, notes: row.state as JobNotes, queuedAt: row.created_at } : null
}

/** Notes how far the piece is, or ends it; one that was queued anew meanwhile is left to start over. */
export async function movePiece(tx: Tx, piece: Piece, notes: JobNotes | null, now: Date): Promise<void> {
  if (notes === null) await tx.deleteFrom('job').where('job_id', '=', piece.id).where('created_at', '=', piece.queuedAt).execute()
  else
    await tx
      .updateTable('job')
      .set({ state: JSON.stringify(notes), updated_at: now })
      .where('job_id', '=', piece.id)
      .where('created_at', '=', piece.queuedAt)
      .execute()
}
