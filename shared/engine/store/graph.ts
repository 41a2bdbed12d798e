import { sql, type RawBuilder } from 'kysely'
import type { Queryable } from '../db/database.ts'

/** The fact graph: triples of rows, links between rows, entities that rows name. */

export interface GraphTriple {
  readonly subject: string
  readonly predicate: string
  readonly object: string
  readonly memory_id: string
  readonly memory_key: string
  readonly confidence: number
  readonly valid_at: Date | null
}

const name = (column: RawBuilder<unknown>): RawBuilder<string> => sql<string>`lower(normalize(${column}))`

/**
 * Triples that name one of these things, or belong to one of these rows; of rows that `shown` (over `loom.memory m`)
 * lets through, in a fixed order.
 */
export async function triplesAround(
  db: Queryable,
  org: string,
  shown: RawBuilder<boolean>,
  around: { readonly names: readonly string[]; readonly ids: readonly string[] },
  limit: number,
): Promise<GraphTriple[]> {
  const { rows } = await sql<GraphTriple>`SELECT r.subject, r.predicate, r.object, m.memory_id, m.memory_key, m.confidence, m.valid_at
    FROM loom.memory_relation r JOIN loom.memory m ON m.org = r.org AND m.memory_id = r.memory_id
    WHERE r.org = ${org} AND ${shown} AND (r.memory_id = any(${[...around.ids]}::text[])
      OR ${name(sql`r.subject`)} = any(${[...around.names]}::text[]) OR ${name(sql`r.object`)} = any(${[...around.names]}::text[]))
    ORDER BY m.updated_at DESC, m.memory_id, r.position LIMIT ${limit}`.execute(db)
  return rows
}

export interface RowLink {
  readonly from_id: string
  readonly to_id: string
  readonly relation: string
  readonly note: string
  readonly at: Date
}

/** Links at either end of these rows, newest first. */
export async function linksOf(db: Queryable, org: string, ids: readonly string[]): Promise<RowLink[]> {
  const { rows } =
    await sql<RowLink>`SELECT from_id, to_id, relation, note, at FROM loom.memory_link WHERE org = ${org} AND from_id = any(${[...ids]}::text[])
    UNION SELECT from_id, to_id, relation, note, at FROM loom.memory_link WHERE org = ${org} AND to_id = any(${[...ids]}::text[])
    ORDER BY at DESC, from_id, to_id, relation`.execute(db)
  return rows
}

/** Whether a row that `shown` lets through names a thing, given in lower case. */
export async function hasEntity(db: Queryable, org: string, shown: RawBuilder<boolean>, entity: string): Promise<boolean> {
  const { rows } = await sql<{
    found: boolean
  }>`SELECT EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = ${org} AND ${shown} AND ${entity} = any(m.entities)) AS found`.execute(db)
  return rows[0]?.found === true
}
