import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'

export interface OpenPair {
  readonly org: string
  readonly namespace: string
  readonly rowId: string
  readonly peerId: string
  readonly kind: 'conflict' | 'duplicate'
  readonly relation: string
  readonly similarity: number
  readonly reason: string
  readonly confidence: number
  readonly unsure: boolean
  readonly judgeVersion: string
  readonly at: Date
}

/** One id for a pair of rows, on every host. */
export function pairId(a: string, b: string): string {
  return `p_${[a, b].sort().join('_')}`
}

/** A new claim under a key makes what was judged of the old one stale. */
export async function closePairsOf(tx: Tx, org: string, memoryId: string): Promise<void> {
  await sql`UPDATE loom.memory_pair SET state = 'stale' WHERE org = ${org} AND row_id = ${memoryId} AND state = 'open'`.execute(tx)
}

export async function openPairs(tx: Tx, pairs: readonly OpenPair[]): Promise<void> {
  if (pairs.length === 0) return
  await tx
    .insertInto('memory_pair')
    .values(
      pairs.map((pair) => ({
        org: pair.org,
        pair_id: pairId(pair.rowId, pair.peerId),
        namespace: pair.namespace,
        kind: pair.kind,
        state: 'open',
        row_id: pair.rowId,
        peer_id: pair.peerId,
        relation: pair.relation,
        similarity: pair.similarity,
        reason: pair.reason,
        confidence: pair.confidence,
        unsure: pair.unsure,
        origin: 'write',
        judge_version: pair.judgeVersion,
        at: pair.at,
        settled_at: null,
        erasure_seq: 0n,
      })),
    )
    .onConflict((conflict) =>
      conflict.columns(['org', 'pair_id']).doUpdateSet((excluded) => ({
        kind: excluded.ref('excluded.kind'),
        state: excluded.ref('excluded.state'),
        row_id: excluded.ref('excluded.row_id'),
        peer_id: excluded.ref('excluded.peer_id'),
        relation: excluded.ref('excluded.relation'),
        similarity: excluded.ref('excluded.similarity'),
        reason: excluded.ref('excluded.reason'),
        confidence: excluded.ref('excluded.confidence'),
        unsure: excluded.ref('excluded.unsure'),
        judge_version: excluded.ref('excluded.judge_version'),
        at: excluded.ref('excluded.at'),
      })),
    )
    .execute()
}

/** Ids of the live rows that each of these rows stands against, by memory_id. */
export async function conflictsOf(db: Queryable, org: string, memoryIds: readonly string[]): Promise<Map<string, { id: string; key: string }[]>> {
  const against = new Map<string, { id: string; key: string }[]>()
  if (memoryIds.length === 0) return against
  const { rows } = await sql<{ own: string; other: string; key: string }>`
    SELECT s.own, s.other, m.memory_key AS key FROM (
      SELECT row_id AS own, peer_id AS other FROM loom.memory_pair
        WHERE org = ${org} AND state = 'open' AND kind = 'conflict' AND row_id = any(${[...memoryIds]}::text[])
      UNION
      SELECT peer_id, row_id FROM loom.memory_pair
        WHERE org = ${org} AND state = 'open' AND kind = 'conflict' AND peer_id = any(${[...memoryIds]}::text[])
    ) AS s JOIN loom.memory m ON m.org = ${org} AND m.memory_id = s.other
    WHERE m.status IN ('active', 'conflicted', 'duplicate') AND m.erased_by = ''
    ORDER BY m.memory_key`.execute(db)
  for (const row of rows) {
    const list = against.get(row.own) ?? []
    list.push({ id: row.other, key: row.key })
    against.set(row.own, list)
  }
  return against
}
