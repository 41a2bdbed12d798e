import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'
import { headsById, type Head } from './memories.ts'
import type { PairRow } from './pairs.ts'

/** The two rows of a pair. Of two versions of one row: its head, and the other version in the shape of one. */
export interface PairSides {
  readonly row: Head
  readonly peer: Head
}

export const isOfVersions = (pair: PairRow): pair is PairRow & { readonly peer_version: bigint } => pair.peer_version !== null

async function versionsOf(db: Queryable, org: string, pairs: readonly PairRow[]): Promise<Map<string, Partial<Head>>> {
  const named = pairs.filter(isOfVersions)
  if (named.length === 0) return new Map()
  const rows = await db
    .selectFrom('memory_version')
    .selectAll()
    .where('org', '=', org)
    .where('memory_id', '=', sql<string>`any(${named.map((pair) => pair.row_id)}::text[])`)
    .where('version', '=', sql<bigint>`any(${named.map((pair) => pair.peer_version.toString())}::int8[])`)
    .where('erased_by', '=', sql.lit(''))
    .execute()
  return new Map(rows.map((row) => [`${row.memory_id}/${row.version}`, row]))
}

/** Both sides of each pair, by its id; a pair of which a side is gone is left out. */
export async function sidesOf(db: Queryable, org: string, pairs: readonly PairRow[]): Promise<Map<string, PairSides>> {
  const heads = await headsById(
    db,
    org,
    pairs.flatMap((pair) => [pair.row_id, pair.peer_id]),
  )
  const versions = await versionsOf(db, org, pairs)
  const sides = new Map<string, PairSides>()
  for (const pair of pairs) {
    const row = heads.get(pair.row_id)
    const other = isOfVersions(pair) ? versions.get(`${pair.row_id}/${pair.peer_version}`) : heads.get(pair.peer_id)
    if (row && other) sides.set(pair.pair_id, { row, peer: { ...row, ...other } })
  }
  return sides
}
