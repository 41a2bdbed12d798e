import { sql } from 'kysely'
import type { Database } from '../../shared/engine/db/database.ts'

export interface StoreCounts {
  readonly rows: number
  readonly versions: number
  readonly vectors: number
  readonly audit: number
  readonly pairs: number
}

/** How many rows each store of memory holds: what a call that writes nothing must leave alone. */
export async function countStores(database: Database): Promise<StoreCounts> {
  const { rows } = await sql<StoreCounts>`SELECT
    (SELECT count(*)::int FROM loom.memory) AS rows,
    (SELECT count(*)::int FROM loom.memory_version) AS versions,
    (SELECT count(*)::int FROM loom.memory_embedding) AS vectors,
    (SELECT count(*)::int FROM loom.audit) AS audit,
    (SELECT count(*)::int FROM loom.memory_pair) AS pairs`.execute(database.reader)
  const [counts] = rows
  if (!counts) throw new Error('the stores could not be counted')
  return counts
}

/** The reinforcement of a row, outside its versions. */
export async function reinforcementOf(database: Database, memoryId: string): Promise<number> {
  const row = await database.reader
    .selectFrom('memory_usage')
    .select('reinforcement_count')
    .where('memory_id', '=', memoryId)
    .executeTakeFirst()
  return Number(row?.reinforcement_count ?? 0n)
}
