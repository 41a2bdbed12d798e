import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import { before, PENDING, placed, type Scope } from './scope.ts'
import { BATCH } from './store.ts'
import { documentsIn } from './stores/knowledge.ts'

/** A fence as it is kept, served and written to the ledger file. */
export interface Fence {
  readonly org: string
  readonly seq: bigint
  readonly erasure_id: string
  /** `*`: every namespace of the org. */
  readonly namespace: string
  readonly user_sha256: string
  readonly collection: string
  readonly purge: boolean
  readonly requested_at: Date
}

/** A user in a fence: who never held the id cannot guess it. "" for everybody. */
export function userHash(erasureId: string, userId: string): string {
  return userId === '' ? '' : createHash('sha256').update(`${erasureId}:${userId}`).digest('hex')
}

/** Waits for the writes of an org that are under way; those that come later wait for this transaction. */
export async function lockErasures(tx: Tx, kind: 'pglite' | 'postgres', org: string): Promise<void> {
  // On PGlite the one connection is lock enough.
  if (kind === 'postgres') await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`erasure:${org}`}, 0))`.execute(tx)
}

/** Raises the org's number to at least `least`, or by one. Answers it. */
export async function raiseNumber(tx: Tx, org: string, now: Date, least: bigint | null = null): Promise<bigint> {
  const next = least === null ? sql`o.erasure_seq + 1` : sql`greatest(o.erasure_seq, ${least}::int8)`
  const { rows } = await sql<{
    seq: bigint
  }>`INSERT INTO loom.org AS o (org, erasure_seq, created_at) VALUES (${org}, ${least ?? 1n}, ${now})
    ON CONFLICT (org) DO UPDATE SET erasure_seq = ${next} RETURNING o.erasure_seq AS seq`.execute(tx)
  return rows[0]?.seq ?? 0n
}

export function fencesOf(scope: Scope, requestedAt: Date): Fence[] {
  const { org, seq, erasureId: erasure_id, collection, purge } = scope
  return (scope.namespaces ?? ['*']).map((namespace) => ({
    org,
    seq,
    erasure_id,
    namespace,
    user_sha256: userHash(erasure_id, scope.userId),
    collection,
    purge,
    requested_at: requestedAt,
  }))
}

export async function insertFences(tx: Tx, fences: readonly Fence[]): Promise<void> {
  if (fences.length === 0) return
  await tx
    .insertInto('erasure_fence')
    .values([...fences])
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

export async function allFences(db: Queryable): Promise<Fence[]> {
  return db.selectFrom('erasure_fence').selectAll().orderBy('org').orderBy('seq').orderBy('namespace').execute()
}

/**
 * Hides the heads and documents of the scope at once, as many as one batch takes: from the fence on nothing reads them, repeats them or
 * writes on top of them. Answers the ids of the
 * heads, for the search index.
 */
export async function hideHeads(tx: Tx, scope: Scope): Promise<string[]> {
  const hidden = `${PENDING}${scope.erasureId}`
  await sql`UPDATE loom.knowledge_document t SET erased_by = ${hidden}, rev = rev + 1, index_rev = nextval('loom.index_rev')
    WHERE t.ctid = ANY(ARRAY(SELECT t.ctid FROM loom.knowledge_document t
      WHERE t.org = ${scope.org} AND t.erased_by = '' AND ${documentsIn('t', scope)} LIMIT ${BATCH}))`.execute(tx)
  if (scope.collection !== '') return []
  const { rows } = await sql<{ memory_id: string }>`UPDATE loom.memory t SET erased_by = ${hidden}, rev = rev + 1
    WHERE t.ctid = ANY(ARRAY(SELECT t.ctid FROM loom.memory t
      WHERE ${placed('t', scope)} AND ${before('t', scope)} AND t.erased_by = '' LIMIT ${BATCH})) RETURNING t.memory_id`.execute(tx)
  return rows.map((row) => row.memory_id)
}
