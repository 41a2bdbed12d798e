import { sql } from 'kysely'
import type { Queryable, Tx } from '../../db/database.ts'
import type { ShapeDefinition } from '../../shapes/columns.ts'
import { SHAPES, type ShapeName } from '../../shapes/definitions.ts'
import { quoteName } from '../../shapes/statement.ts'
import { KEY_PART } from './capture.ts'

/** Rows as shapes carry them: columns as Postgres text, arrays as lists of it. Upserted, and cast by column type. */
export type ShapeRow = Readonly<Record<string, unknown>>

/** A column as text, whichever way it was read; "" for null. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Date) return value.toISOString()
  return typeof value === 'bigint' || typeof value === 'number' || typeof value === 'boolean' ? value.toString() : ''
}

export interface RowChange {
  readonly operation: 'insert' | 'update' | 'delete'
  readonly value: ShapeRow
}

export const shapeOf = (name: ShapeName): ShapeDefinition => SHAPES[name]
export const tableOf = (name: ShapeName): string => SHAPES[name].relation[1]

const BY_TABLE = new Map((Object.keys(SHAPES) as ShapeName[]).map((name) => [tableOf(name), name]))

/** The shape whose rows a table holds. */
export function shapeOfTable(table: string): ShapeName {
  const name = BY_TABLE.get(table)
  if (name === undefined) throw new RangeError(`No shape has the table ${table}.`)
  return name
}

/** The key of a row after its org. */
export function rowKey(name: ShapeName, row: ShapeRow): string {
  return shapeOf(name)
    .key.filter((column) => column !== 'org')
    .map((column) => String(row[column]))
    .join(KEY_PART)
}

/** Changes of one batch by row: what a row is told in several steps is done in one. */
export function folded(name: ShapeName, changes: readonly RowChange[]): Map<string, RowChange> {
  const byKey = new Map<string, RowChange>()
  for (const change of changes) {
    const key = rowKey(name, change.value)
    const before = byKey.get(key)
    byKey.delete(key)
    if (change.operation === 'update' && before && before.operation !== 'delete')
      byKey.set(key, { operation: before.operation, value: { ...before.value, ...change.value } })
    else byKey.set(key, change)
  }
  return byKey
}

function columnsOf(name: ShapeName): string {
  return shapeOf(name)
    .columns.map(({ name: column }) => quoteName(column))
    .join(', ')
}

/** jsonb travels as text and would else be read as a JSON string. */
function selected(name: ShapeName): string {
  return shapeOf(name)
    .columns.map(({ name: column, type }) => (type === 'jsonb' ? `(${quoteName(column)} #>> '{}')::jsonb` : quoteName(column)))
    .join(', ')
}

/** Puts whole rows in place of those with the same keys. */
export async function upsertRows(tx: Tx, name: ShapeName, rows: readonly ShapeRow[]): Promise<void> {
  if (rows.length === 0) return
  const { key, columns } = shapeOf(name)
  const table = sql.table(`loom.${tableOf(name)}`)
  const rest = columns
    .filter((column) => !key.includes(column.name))
    .map(({ name: column }) => `${quoteName(column)} = excluded.${quoteName(column)}`)
  await sql`INSERT INTO ${table} (${sql.raw(columnsOf(name))})
    SELECT ${sql.raw(selected(name))} FROM json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::json)
    ON CONFLICT (${sql.raw(key.map(quoteName).join(', '))}) DO ${sql.raw(rest.length === 0 ? 'NOTHING' : `UPDATE SET ${rest.join(', ')}`)}`.execute(
    tx,
  )
}

const keyMatch = (name: ShapeName, alias: string): string =>
  shapeOf(name)
    .key.map((column) => `t.${quoteName(column)} = ${alias}.${quoteName(column)}`)
    .join(' AND ')

/** Changes columns of rows that are there. */
export async function updateRows(tx: Tx, name: ShapeName, changes: readonly ShapeRow[]): Promise<void> {
  const table = sql.table(`loom.${tableOf(name)}`)
  for (const change of changes) {
    const columns = shapeOf(name).columns.filter((column) => column.name in change && !shapeOf(name).key.includes(column.name))
    if (columns.length === 0) continue
    const set = columns.map(
      ({ name: column, type }) =>
        `${quoteName(column)} = ${type === 'jsonb' ? `(n.${quoteName(column)} #>> '{}')::jsonb` : `n.${quoteName(column)}`}`,
    )
    await sql`UPDATE ${table} t SET ${sql.raw(set.join(', '))} FROM json_populate_record(null::${table}, ${JSON.stringify(change)}::json) n
      WHERE ${sql.raw(keyMatch(name, 'n'))}`.execute(tx)
  }
}

export async function deleteRows(tx: Tx, name: ShapeName, rows: readonly ShapeRow[]): Promise<void> {
  if (rows.length === 0) return
  const table = sql.table(`loom.${tableOf(name)}`)
  await sql`DELETE FROM ${table} t USING json_populate_recordset(null::${table}, ${JSON.stringify(rows)}::json) n
    WHERE ${sql.raw(keyMatch(name, 'n'))} ${unlessStamped(name)}`.execute(tx)
}

/** Tables whose rows an erasure without purge stamps: the server tells of them no more, and here they stay, read by nothing. */
const STAMPED = new Set(['memory', 'memory_version', 'memory_link', 'memory_summary', 'knowledge_document'])

/** Of a table `t` of a shape: rows that no erasure has stamped. */
export const unlessStamped = (name: ShapeName) => (STAMPED.has(tableOf(name)) ? sql`AND t.erased_by = ''` : sql``)

/** A row of the server under changes of ours. */
export interface BaseRow {
  readonly relation: string
  readonly row_key: string
  readonly row: ShapeRow | null
  readonly rev: string | null
  readonly held: readonly string[]
}

/** Bases of these rows; of memory also those under which the server has another id for our row. */
export async function basesOf(db: Queryable, org: string, name: ShapeName, keys: readonly string[]): Promise<Map<string, BaseRow>> {
  const { rows } = await sql<BaseRow>`SELECT relation, row_key, "row", "row" ->> 'rev' AS rev, held FROM loom.sync_base
    WHERE org = ${org} AND relation = ${tableOf(name)} AND (row_key = any(${[...keys]}::text[])
      OR (${name === 'memory'} AND "row" ->> 'memory_id' = any(${[...keys]}::text[])))`.execute(db)
  const found = new Map<string, BaseRow>()
  for (const base of rows) {
    found.set(base.row_key, base)
    const id = base.row?.['memory_id']
    if (name === 'memory' && typeof id === 'string') found.set(id, base)
  }
  return found
}

/** Lays the server's row under what is held here. Null: it has none. */
export async function setBase(tx: Tx, org: string, base: Pick<BaseRow, 'relation' | 'row_key'>, change: RowChange): Promise<void> {
  const table = sql.table(`loom.${base.relation}`)
  const at = sql`org = ${org} AND relation = ${base.relation} AND row_key = ${base.row_key}`
  const text = JSON.stringify(change.value)
  if (change.operation === 'delete') await sql`UPDATE loom.sync_base SET "row" = NULL WHERE ${at}`.execute(tx)
  else if (change.operation === 'insert')
    await sql`UPDATE loom.sync_base SET "row" = to_jsonb(json_populate_record(null::${table}, ${text}::json)) WHERE ${at}`.execute(tx)
  else
    await sql`UPDATE loom.sync_base SET "row" = to_jsonb(json_populate_record(jsonb_populate_record(null::${table}, "row"), ${text}::json))
      WHERE ${at} AND "row" IS NOT NULL`.execute(tx)
}
