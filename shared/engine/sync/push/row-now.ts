import { sql } from 'kysely'
import type { Tx } from '../../db/database.ts'
import type { ShapeName } from '../../shapes/definitions.ts'
import { TEXT_FORMATS, valueSql } from '../../shapes/row-sql.ts'
import { SERVED } from '../../shapes/served.ts'

export type RowNow = Record<string, string | null>

/** A row as its shape gives it, every column as Postgres text; null where there is none. `key`: of the shape, the org first. */
export async function rowNow(tx: Tx, name: ShapeName, key: readonly string[]): Promise<RowNow | null> {
  const shape = SERVED[name]
  const [schema, table] = shape.relation
  const is = shape.key.map((column, at) => sql`t.${sql.ref(column)} = ${key[at] ?? ''}`)
  const erased = name === 'memory' ? sql`AND t.erased_by = ''` : sql``
  await sql.raw(TEXT_FORMATS).execute(tx)
  const { rows } = await sql<{ row: string }>`SELECT ${sql.raw(valueSql(shape))} AS row FROM ${sql.table(`${schema}.${table}`)} t
    WHERE ${sql.join(is, sql` AND `)} ${erased}`.execute(tx)
  return rows[0] ? (JSON.parse(rows[0].row) as RowNow) : null
}
