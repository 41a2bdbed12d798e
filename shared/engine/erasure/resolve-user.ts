import { sql } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** Rows kept as JSON that name a user as well. */
const JSON_TABLES = ['sync_base', 'shape_staging']

/**
 * The user of this store whose id gives the hash of a fence; null: the store never held them. What to look through is read
 * from the schema, so that no table is forgotten.
 */
export async function resolveUser(db: Queryable, org: string, erasureId: string, hash: string): Promise<string | null> {
  const { rows: tables } = await sql<{ name: string }>`SELECT c.table_name::text AS name FROM information_schema.columns c
    JOIN information_schema.columns o ON o.table_schema = c.table_schema AND o.table_name = c.table_name AND o.column_name = 'org'
    WHERE c.table_schema = 'loom' AND c.column_name = 'user_id' ORDER BY 1`.execute(db)
  const sources = [
    ...tables.map(({ name }) => sql`SELECT user_id FROM ${sql.table(`loom.${name}`)} WHERE org = ${org}`),
    ...JSON_TABLES.map((name) => sql`SELECT "row" ->> 'user_id' FROM ${sql.table(`loom.${name}`)} WHERE org = ${org}`),
  ]
  const { rows } = await sql<{ user_id: string }>`SELECT user_id FROM (${sql.join(sources, sql` UNION `)}) AS u(user_id)
    WHERE user_id <> '' AND encode(sha256(convert_to(${`${erasureId}:`} || user_id, 'UTF8')), 'hex') = ${hash} LIMIT 1`.execute(db)
  return rows[0]?.user_id ?? null
}
