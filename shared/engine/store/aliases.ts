import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'

/** The row that an id is another name of, or null. */
export async function aliasedTo(db: Queryable, org: string, aliasId: string): Promise<string | null> {
  const { rows } = await sql<{ memory_id: string }>`SELECT memory_id FROM loom.memory_alias
    WHERE org = ${org} AND alias_id = ${aliasId}`.execute(db)
  return rows[0]?.memory_id ?? null
}

/** No row, no version and no other name has this id. */
export async function isFreeId(db: Queryable, org: string, id: string): Promise<boolean> {
  const { rows } = await sql<{ free: boolean }>`SELECT NOT EXISTS (SELECT 1 FROM loom.memory WHERE org = ${org} AND memory_id = ${id})
    AND NOT EXISTS (SELECT 1 FROM loom.memory_version WHERE org = ${org} AND memory_id = ${id})
    AND NOT EXISTS (SELECT 1 FROM loom.memory_alias WHERE org = ${org} AND alias_id = ${id}) AS free`.execute(db)
  return rows[0]?.free === true
}

/** Makes an id that no row has another name of one. */
export async function keepAlias(tx: Tx, org: string, aliasId: string, memoryId: string, at: Date, erasureSeq: bigint): Promise<void> {
  if (!(await isFreeId(tx, org, aliasId))) return
  await sql`INSERT INTO loom.memory_alias (org, alias_id, memory_id, at, erasure_seq)
    VALUES (${org}, ${aliasId}, ${memoryId}, ${at}, ${erasureSeq}) ON CONFLICT DO NOTHING`.execute(tx)
}
