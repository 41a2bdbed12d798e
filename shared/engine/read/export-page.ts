import { CompiledQuery, sql } from 'kysely'
import type { Input } from '../../contract/declare.ts'
import { LoomError } from '../../contract/errors.ts'
import { parseJson, stringifyJson } from '../../contract/json.ts'
import type { namespaceExport } from '../../contract/ops/namespace/export.ts'
import type { ReadContext } from '../handler.ts'
import { attachedOf } from '../store/attached.ts'
import { triplesOfMany } from '../store/attachments.ts'
import type { Head } from '../store/memories.ts'
import { rowView, usageOf } from '../store/row-view.ts'
import { EXPORTED, NEVER, type ExportedTable } from './export-tables.ts'

type Call = Input<typeof namespaceExport>
type Place = readonly unknown[] | null
/** Whose rows, as of when, and from where. */
export type ExportContext = Pick<ReadContext, 'db' | 'identity' | 'now'>

export interface ExportPage {
  readonly rows: readonly Record<string, unknown>[]
  /** Where the next page goes on; null at the end. */
  readonly next: readonly unknown[] | null
}

const broken = (): LoomError => new LoomError('INVALID_CURSOR', 'This cursor is broken. Start again without a cursor.', { field: 'cursor' })

/** Heads of one org as memory.get shows them. */
export async function viewsOf(heads: readonly Head[], { db, identity, now }: ExportContext) {
  const ids = heads.map((head) => head.memory_id)
  const usage = await usageOf(db, identity.org, ids)
  const attached = await attachedOf(db, identity.org, ids)
  const triples = await triplesOfMany(db, identity.org, ids)
  return heads.map((head) => rowView(head, usage.get(head.memory_id), triples.get(head.memory_id) ?? [], now, attached.get(head.memory_id)))
}

/** Bytes of JSON after which a page ends, however many rows it may hold: a row may be as large as a request. */
const PAGE_BYTES = 8 * 1024 * 1024
/** Rows that are read first; then as many as have room by those before. */
const FIRST_ROWS = 4

/** Length of a row as it is sent, near enough. */
function sizeOf(row: Readonly<Record<string, unknown>>): number {
  let size = 0
  for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : stringifyJson(value ?? null).length
  return size + 1
}

/** Rows by `read`, a few at a time, until there are enough of them or they fill a page. */
async function inBounds<T extends object>(
  room: { rows: number; bytes: number },
  read: (
    after: T | undefined,
    limit: number,
  ) => Promise<{ readonly found: readonly T[]; readonly shown: readonly Record<string, unknown>[] }>,
): Promise<{ shown: Record<string, unknown>[]; last: T | undefined; isEnd: boolean }> {
  const shown: Record<string, unknown>[] = []
  let last: T | undefined
  let step = FIRST_ROWS
  let filled = 0
  while (room.rows > 0 && room.bytes > 0) {
    const limit = Math.min(step, room.rows)
    const some = await read(last, limit)
    shown.push(...some.shown)
    last = some.found.at(-1) ?? last
    const bytes = some.shown.reduce((sum, row) => sum + sizeOf(row), 0)
    room.rows -= some.found.length
    room.bytes -= bytes
    filled += bytes
    if (some.found.length < limit) return { shown, last, isEnd: true }
    step = Math.max(1, Math.floor(room.bytes / (filled / shown.length)))
  }
  return { shown, last, isEnd: false }
}

const LIVE = sql`m.status IN ('active', 'conflicted', 'duplicate', 'proposed')`

/** A row as memory.bulk_set takes it: a proposal says that it is to be stored as one. */
export const asEntry = (row: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  row['status'] === 'proposed' ? { ...row, proposed: true } : row

/** Live rows and proposals by default, every head with include_tombstoned, as memory.get shows them. */
async function memoryPage(input: Call, place: Place, context: ExportContext): Promise<ExportPage> {
  const { db, identity } = context
  const [start = ''] = place ?? []
  if (typeof start !== 'string' || start.includes('\0')) throw broken()
  const which = input.include_tombstoned ? sql`true` : LIVE
  const { shown, last, isEnd } = await inBounds<Head>({ rows: input.limit, bytes: PAGE_BYTES }, async (after, limit) => {
    const { rows: found } =
      await sql<Head>`SELECT m.* FROM loom.memory m WHERE m.org = ${identity.org} AND m.namespace = ${identity.namespace}
      AND m.erased_by = '' AND m.memory_id > ${after?.memory_id ?? start} AND ${which} ORDER BY m.memory_id LIMIT ${limit}`.execute(db)
    const rows = await viewsOf(found, context)
    return { found, shown: rows.map(asEntry) }
  })
  return { rows: shown, next: isEnd || !last ? null : [last.memory_id] }
}

function plain(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value
}

function exported(table: ExportedTable, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = Object.entries(row).filter(
    ([column, value]) => !NEVER.has(column) && !table.without?.includes(column) && !(value instanceof Uint8Array),
  )
  const told = kept.map(([column, value]) => [
    column,
    table.json?.includes(column) && typeof value === 'string' ? parseJson(value) : plain(value),
  ])
  return { row_kind: table.kind, ...Object.fromEntries(told) }
}

/** Rows of one table after a place in the order of its key. */
async function tableRows(table: ExportedTable, after: readonly string[] | null, limit: number, context: ExportContext) {
  const { identity, now, db } = context
  const values: unknown[] = [identity.org]
  const bind = (value: unknown): string => `$${values.push(value)}`
  const where = table.where.replaceAll('$namespace', () => bind(identity.namespace)).replaceAll('$now', () => bind(now))
  const columns = table.key.map(([column, type]) => (type === 'text' ? `t.${column} COLLATE "C"` : `t.${column}`))
  const place = after && `AND (${columns.join(', ')}) > (${table.key.map(([, type], at) => `${bind(after[at])}::${type}`).join(', ')})`
  const text = `SELECT ${table.columns ?? 't.*'}${table.also ? `, ${table.also}` : ''} FROM ${table.from} WHERE t.org = $1 AND ${where} ${place ?? ''}
    ORDER BY ${columns.join(', ')} LIMIT ${bind(limit)}::int`
  return (await db.executeQuery<Record<string, unknown>>(CompiledQuery.raw(text, values))).rows
}

function placeIn(tables: readonly ExportedTable[], place: Place): { at: number; after: readonly string[] | null } {
  if (place === null) return { at: 0, after: null }
  const [at, ...after] = place
  const table = typeof at === 'number' ? tables[at] : undefined
  const fits = (part: unknown, type: string): boolean =>
    typeof part === 'string' && (type === 'text' ? !part.includes('\0') : /^\d{1,18}$|^\d{19}$/.test(part) && BigInt(part) < 2n ** 63n)
  if (
    table === undefined ||
    (after.length > 0 && !(after.length === table.key.length && table.key.every(([, type], k) => fits(after[k], type))))
  )
    throw broken()
  return { at: at as number, after: after.length > 0 ? (after as string[]) : null }
}

async function tablesPage(tables: readonly ExportedTable[], input: Call, place: Place, context: ExportContext): Promise<ExportPage> {
  const rows: Record<string, unknown>[] = []
  const room = { rows: input.limit, bytes: PAGE_BYTES }
  let { at, after: start } = placeIn(tables, place)
  for (; at < tables.length; at++, start = null) {
    const table = tables[at]
    if (!table) break
    const placeOf = (row: Readonly<Record<string, unknown>>): string[] => table.key.map(([column]) => String(row[column]))
    const { shown, last, isEnd } = await inBounds<Record<string, unknown>>(room, async (after, limit) => {
      const found = await tableRows(table, after ? placeOf(after) : start, limit, context)
      return { found, shown: found.map((row) => exported(table, row)) }
    })
    rows.push(...shown)
    if (!isEnd) return { rows, next: last ? [at, ...placeOf(last)] : [at, ...(start ?? [])] }
  }
  return { rows, next: null }
}

/**
 * One page of a section of a namespace.
 * @throws LoomError INVALID_CURSOR for a place that is none.
 */
export function exportPage(input: Call, place: Place, context: ExportContext): Promise<ExportPage> {
  return input.section === 'memory' ? memoryPage(input, place, context) : tablesPage(EXPORTED[input.section], input, place, context)
}
