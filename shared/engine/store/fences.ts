import { sql } from 'kysely'
import type { Claims } from '../../contract/ops/engine/info.ts'
import type { Queryable, Tx } from '../db/database.ts'

/** What stands against a change when it is settled. */
export interface Standing {
  /** The org's number now. */
  readonly erasureSeq: bigint
  /** A fence of the change's scope is above what its device knew. */
  readonly fenced: boolean
  /** The token of the call is neither revoked nor gone. */
  readonly tokenLives: boolean
}

/** Held shared by writes: a fence waits for them, and they see it from then on. */
export async function shareErasureLock(tx: Tx, kind: 'pglite' | 'postgres', org: string): Promise<void> {
  // On PGlite the one connection is lock enough.
  if (kind === 'postgres') await sql`SELECT pg_advisory_xact_lock_shared(hashtextextended(${`erasure:${org}`}, 0))`.execute(tx)
}

/** Reads it under the erasure lock. A fence holds for a namespace or all (`*`), for one user or all. */
export async function standingOf(
  tx: Tx,
  scope: { readonly org: string; readonly namespace: string; readonly user_id: string; readonly collection: string },
  since: number,
  tokenId: string,
): Promise<Standing> {
  const { rows } = await sql<{ erasure_seq: bigint | null; fenced: boolean; lives: boolean }>`SELECT
      (SELECT erasure_seq FROM loom.org WHERE org = ${scope.org}) AS erasure_seq,
      EXISTS (SELECT 1 FROM loom.erasure_fence f WHERE f.org = ${scope.org} AND f.seq > ${since} AND f.namespace IN ('*', ${scope.namespace})
        AND f.collection IN ('', ${scope.collection}) AND f.user_sha256 IN ('', encode(sha256(convert_to(f.erasure_id || ':' || ${scope.user_id}, 'UTF8')), 'hex'))) AS fenced,
      (${tokenId} = '' OR EXISTS (SELECT 1 FROM loom.auth_token WHERE token_id = ${tokenId} AND org = ${scope.org} AND revoked_at IS NULL)) AS lives`.execute(
    tx,
  )
  const [row] = rows
  return { erasureSeq: row?.erasure_seq ?? 0n, fenced: row?.fenced === true, tokenLives: row?.lives === true }
}

/** The highest fence that a token can see: those of its namespaces and of the whole org. */
export async function highestFence(db: Queryable, claims: Pick<Claims, 'org' | 'grants'>): Promise<number> {
  const names = Object.keys(claims.grants)
  const { rows } = await sql<{ seq: bigint | null }>`SELECT max(seq) AS seq FROM loom.erasure_fence WHERE org = ${claims.org}
    AND (${names.includes('*')} OR namespace = any(${['*', ...names]}::text[]))`.execute(db)
  return Number(rows[0]?.seq ?? 0n)
}
