import { sql, type RawBuilder } from 'kysely'
import type { Input } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import type { memoryRecordQuery } from '../../../contract/ops/memory/record/query.ts'
import type { Subject } from '../../../domain/records/predicate.ts'
import type { FieldDef } from '../../../domain/records/schema.ts'
import type { ReadContext } from '../../handler.ts'
import { listName, readCursor, writeCursor } from '../../store/cursor.ts'
import { requireSubject } from './read-where.ts'
import { COLUMNS, all, recordsOf, type Condition, type FoundRecord } from './source.ts'
import { valueSql } from './subject-sql.ts'

type Query = Input<typeof memoryRecordQuery>

/** A key of the order, as a column `k0` of the page. */
interface SortKey {
  readonly subject: Subject
  readonly column: string
  readonly descends: boolean
}

const UTC_MS = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`

/** A sort key as text, as a cursor carries it. */
function textOf({ column, subject }: SortKey): RawBuilder<unknown> {
  const value = sql.ref(column)
  return subject.type === 'datetime' ? sql`to_char(${value} AT TIME ZONE 'UTC', ${sql.raw(UTC_MS)})` : sql`${value}::text`
}

const FORMS: Readonly<Record<Subject['type'], RegExp>> = {
  string: /^[^\0\p{Cs}]*$/u,
  number: /^-?\d{1,400}(?:\.\d{1,400})?$/,
  integer: /^-?\d{1,400}(?:\.\d{1,400})?$/,
  boolean: /^(?:true|false)$/,
  datetime: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
}
const CASTS: Readonly<Record<Subject['type'], string>> = {
  string: 'text COLLATE "C"',
  number: 'text::numeric',
  integer: 'text::numeric',
  boolean: 'text::boolean',
  datetime: 'text::timestamptz',
}

const isOfForm = (part: unknown, form: RegExp): part is string => typeof part === 'string' && form.test(part)

type Place = readonly (string | null)[]

function placeOf(list: string, cursor: string | undefined, keys: readonly SortKey[]): Place | null {
  const place = readCursor(list, cursor)
  if (place === null) return null
  const fits = (part: unknown, at: number): boolean => {
    const key = keys[at]
    if (!key) return isOfForm(part, FORMS.string)
    return (
      part === null || (isOfForm(part, FORMS[key.subject.type]) && (key.subject.type !== 'datetime' || !Number.isNaN(Date.parse(part))))
    )
  }
  if (place.length === keys.length + 2 && place.every(fits)) return place as Place
  throw new LoomError('INVALID_CURSOR', 'This cursor is broken. Start again without a cursor.', { field: 'cursor' })
}

/** Rows after a place: what has no value sorts last, both ways. */
function after(keys: readonly SortKey[], place: Place): Condition {
  const [key, ...rest] = keys
  const [value, ...values] = place
  if (!key) {
    const [record, user] = place
    return sql<boolean>`(record_key COLLATE "C", user_id COLLATE "C") > (${record}::text, ${user}::text)`
  }
  const column = sql.ref(key.column)
  if (value === null || value === undefined) return sql<boolean>`(${column} IS NULL AND ${after(rest, values)})`
  const operand = sql`${value}::${sql.raw(CASTS[key.subject.type])}`
  const further = sql.raw(key.descends ? '<' : '>')
  return sql<boolean>`(${column} IS NULL OR ${column} ${further} ${operand} OR (${column} = ${operand} AND ${after(rest, values)}))`
}

/** One page of records that meet the conditions, in the order asked for; ties by record_key, then user_id. */
export async function pageOfRecords(
  conditions: readonly Condition[],
  input: Query,
  defs: readonly FieldDef[],
  context: ReadContext,
): Promise<{ records: FoundRecord[]; nextCursor: string | null }> {
  const keys = input.order_by.map(({ by, dir }, at): SortKey => ({
    subject: requireSubject(by, `order_by[${at}].by`, defs),
    column: `k${at}`,
    descends: dir === 'desc',
  }))
  const list = listName('memory.record.query', context.identity.namespace, { ...input, ...context.given })
  const place = placeOf(list, input.cursor, keys)
  const sorted = keys.map((key) => sql`${valueSql(key.subject)} AS ${sql.ref(key.column)}`)
  const order = keys.map((key) => sql`${sql.ref(key.column)} ${sql.raw(key.descends ? 'DESC' : 'ASC')} NULLS LAST`)
  const texts = keys.map((key) => sql`${textOf(key)} AS ${sql.ref(`t${key.column}`)}`)
  const { rows } = await sql<FoundRecord & Record<string, string | null>>`SELECT ${sql.join([sql`q.*`, ...texts])} FROM (
      SELECT ${sql.join([COLUMNS, sql`r.status`, ...sorted])} FROM ${recordsOf(input.schema, input.as_of, context)} WHERE ${all(conditions)}) q
    WHERE ${place === null ? sql`true` : after(keys, place)}
    ORDER BY ${sql.join([...order, sql`record_key COLLATE "C"`, sql`user_id COLLATE "C"`])} LIMIT ${input.limit + 1}`.execute(context.db)
  const records = rows.slice(0, input.limit)
  const last = records.at(-1)
  const next = rows.length > input.limit && last
  return {
    records,
    nextCursor: next ? writeCursor(list, [...keys.map((key) => last[`t${key.column}`] ?? null), last.record_key, last.user_id]) : null,
  }
}

export async function countRecords(conditions: readonly Condition[], input: Query, context: ReadContext): Promise<number> {
  const { rows } = await sql<{ total: number }>`SELECT count(*)::int AS total FROM ${recordsOf(input.schema, input.as_of, context)}
    WHERE ${all(conditions)}`.execute(context.db)
  return rows[0]?.total ?? 0
}
