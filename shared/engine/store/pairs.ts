import { sql, type Selectable } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

export type PairRow = Selectable<Tables['memory_pair']>

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
  readonly origin: 'write' | 'sync' | 'resolver' | 'proposal'
  /** Hashes of the contents that were judged. */
  readonly rowSha256: string
  readonly peerSha256: string
  /** For two versions of one row: the one that is not its head. */
  readonly peerVersion?: bigint
}

/** One id for a pair of rows, on every host. */
export function pairId(a: string, b: string): string {
  return `p_${[a, b].sort().join('_')}`
}

const idOf = ({ rowId, peerId, peerVersion }: OpenPair): string =>
  peerVersion === undefined ? pairId(rowId, peerId) : `p_${rowId}_${peerVersion.toString()}`

/**
 * A new claim under a key makes what was judged of the old one stale. Answers whether open pairs name the row as their
 * peer: those are for the conflict resolver to judge again.
 */
export async function closePairsOf(tx: Tx, org: string, memoryId: string): Promise<boolean> {
  const { rows } = await sql<{ named: boolean }>`WITH closed AS (
      UPDATE loom.memory_pair SET state = 'stale' WHERE org = ${org} AND row_id = ${memoryId} AND state = 'open')
    SELECT EXISTS (SELECT 1 FROM loom.memory_pair WHERE org = ${org} AND peer_id = ${memoryId} AND state = 'open') AS named`.execute(tx)
  return rows[0]?.named === true
}

/** Resolutions that leave both rows standing, for the two contents that they were given for. */
export const AGREED = ['keep_both', 'restored'] as const

/** Of these peers, those that were agreed to stand beside a row of this content. */
export async function agreedWith(
  db: Queryable,
  org: string,
  own: { id: string; sha256: string },
  peers: readonly { id: string; sha256: string }[],
): Promise<Set<string>> {
  if (own.id === '' || peers.length === 0) return new Set()
  const rows = await db
    .selectFrom('memory_pair')
    .select(['row_id', 'peer_id', 'row_sha256', 'peer_sha256'])
    .where('org', '=', org)
    .where('pair_id', '=', sql<string>`any(${peers.map((peer) => pairId(own.id, peer.id))}::text[])`)
    .where('state', '=', 'settled')
    .where('resolution', 'in', AGREED)
    .execute()
  const hashes = new Map([own, ...peers].map((side) => [side.id, side.sha256]))
  const held = rows.filter((row) => hashes.get(row.row_id) === row.row_sha256 && hashes.get(row.peer_id) === row.peer_sha256)
  return new Set(held.map((row) => (row.row_id === own.id ? row.peer_id : row.row_id)))
}

export async function openPairs(tx: Tx, pairs: readonly OpenPair[]): Promise<void> {
  if (pairs.length === 0) return
  await tx
    .insertInto('memory_pair')
    .values(
      pairs.map((pair) => ({
        org: pair.org,
        pair_id: idOf(pair),
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
        origin: pair.origin,
        judge_version: pair.judgeVersion,
        at: pair.at,
        settled_at: null,
        row_sha256: pair.rowSha256,
        peer_sha256: pair.peerSha256,
        peer_version: pair.peerVersion ?? null,
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
        origin: excluded.ref('excluded.origin'),
        row_sha256: excluded.ref('excluded.row_sha256'),
        peer_sha256: excluded.ref('excluded.peer_sha256'),
        resolution: '',
        settled_by: '',
        settled_at: null,
        undo: '',
      })),
    )
    .execute()
}

/** Ids of the live rows that each of these rows stands against, by memory_id. */
export async function conflictsOf(
  db: Queryable,
  org: string,
  memoryIds: readonly string[],
): Promise<Map<string, { id: string; key: string }[]>> {
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

export async function pairById(db: Queryable, org: string, id: string): Promise<PairRow | null> {
  const row = await db.selectFrom('memory_pair').selectAll().where('org', '=', org).where('pair_id', '=', id).executeTakeFirst()
  return row ?? null
}

/** How a pair was settled. */
export interface Settled {
  readonly resolution: string
  readonly by: string
  readonly at: Date
  readonly rowSha256: string
  readonly peerSha256: string
  /** JSON: what the settlement changed. */
  readonly undo: string
}

/** Records that two rows stand beside each other, whether or not a pair of them was open. */
export async function agreePair(tx: Tx, pair: OpenPair, settled: Omit<Settled, 'rowSha256' | 'peerSha256'>): Promise<void> {
  await openPairs(tx, [pair])
  await settlePair(tx, pair.org, pairId(pair.rowId, pair.peerId), { ...settled, rowSha256: pair.rowSha256, peerSha256: pair.peerSha256 })
}

export async function settlePair(tx: Tx, org: string, id: string, settled: Settled): Promise<void> {
  await tx
    .updateTable('memory_pair')
    .set({
      state: 'settled',
      resolution: settled.resolution,
      settled_by: settled.by,
      settled_at: settled.at,
      row_sha256: settled.rowSha256,
      peer_sha256: settled.peerSha256,
      undo: settled.undo,
    })
    .where('org', '=', org)
    .where('pair_id', '=', id)
    .execute()
}

/** Opens settled pairs, or those that became stale by a settlement, again. */
export async function reopenPairs(tx: Tx, org: string, ids: readonly string[], from: 'settled' | 'stale'): Promise<void> {
  if (ids.length === 0) return
  await sql`UPDATE loom.memory_pair SET state = 'open', resolution = '', settled_by = '', settled_at = NULL, undo = ''
    WHERE org = ${org} AND pair_id = any(${[...ids]}::text[]) AND state = ${from}`.execute(tx)
}

export async function markStale(tx: Tx, org: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`UPDATE loom.memory_pair SET state = 'stale' WHERE org = ${org} AND pair_id = any(${[...ids]}::text[]) AND state = 'open'`.execute(
    tx,
  )
}
