import { sql } from 'kysely'
import { analyse, type Analysis } from '../../domain/judge/analyse.ts'
import { claimOfHead } from '../store/head-claim.ts'
import type { Queryable } from '../db/database.ts'

/** A stored claim as the judge reads it. */
export interface PeerClaim {
  readonly memoryId: string
  readonly key: string
  readonly claim: string
  readonly analysis: Analysis
}

/** Claims kept as read, by row and version: one that many writes meet is fetched and analysed once. */
const MOST_KEPT = 5000
const kept = new Map<string, PeerClaim>()

function keep(name: string, claim: PeerClaim): void {
  kept.delete(name)
  kept.set(name, claim)
  const oldest = kept.keys().next()
  if (kept.size > MOST_KEPT && !oldest.done) kept.delete(oldest.value)
}

/** Forgets what was read, for tests and after an erasure. */
export function forgetPeerClaims(): void {
  kept.clear()
}

/** The claims of rows at the versions named, by memory_id; a row that has moved on is left out. */
export async function peerClaims(
  db: Queryable,
  org: string,
  rows: readonly { memoryId: string; version: bigint }[],
): Promise<Map<string, PeerClaim>> {
  const claims = new Map<string, PeerClaim>()
  const missing: { memoryId: string; version: bigint }[] = []
  for (const row of rows) {
    const known = kept.get(`${org}/${row.memoryId}/${row.version}`)
    if (known) claims.set(row.memoryId, known)
    else missing.push(row)
  }
  if (missing.length === 0) return claims
  const versions = new Map(missing.map((row) => [row.memoryId, row.version]))
  const { rows: found } = await sql<{ memory_id: string; memory_key: string; version: bigint; value: string | null }>`
    SELECT memory_id, memory_key, version, value FROM loom.memory
    WHERE org = ${org} AND memory_id = any(${[...versions.keys()]}::text[]) AND erased_by = ''`.execute(db)
  for (const row of found) {
    if (row.version !== versions.get(row.memory_id)) continue
    const claim = claimOfHead(row)
    const read = { memoryId: row.memory_id, key: row.memory_key, claim, analysis: analyse({ key: row.memory_key, text: claim }) }
    keep(`${org}/${row.memory_id}/${row.version}`, read)
    claims.set(row.memory_id, read)
  }
  return claims
}
