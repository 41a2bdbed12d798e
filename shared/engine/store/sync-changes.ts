import { sql, type Selectable } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'

/** What became of a pushed change: ids and a verdict, no content. */
export type KeptChange = Selectable<Tables['sync_change']>

/** Those of these changes that were settled, by their id. */
export async function settledChanges(db: Queryable, org: string, changeIds: readonly string[]): Promise<Map<string, KeptChange>> {
  if (changeIds.length === 0) return new Map()
  const rows = await db
    .selectFrom('sync_change')
    .selectAll()
    .where('org', '=', org)
    .where('change_id', '=', sql<string>`any(${[...changeIds]}::text[])`)
    .execute()
  return new Map(rows.map((row) => [row.change_id, row]))
}

export async function settledChange(db: Queryable, org: string, changeId: string): Promise<KeptChange | null> {
  return (await settledChanges(db, org, [changeId])).get(changeId) ?? null
}

/** Keeps the outcome with the write that it tells of. False: the change was settled already, and this transaction must not stand. */
export async function keepChange(tx: Tx, change: KeptChange): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('sync_change')
    .values(change)
    .onConflict((conflict) => conflict.columns(['org', 'change_id']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}
