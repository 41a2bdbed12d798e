import { sql, type RawBuilder } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import type { memoryAggregate } from '../../../contract/ops/memory/aggregate.ts'
import type { Subject } from '../../../domain/records/predicate.ts'
import { exactNumber, nearestAverage } from '../../../domain/records/exact-numbers.ts'
import type { FieldDef, Scalar } from '../../../domain/records/schema.ts'
import type { ReadContext } from '../../handler.ts'
import { predicateSql } from './predicate-sql.ts'
import { readWhere, requireField, requireSubject } from './read-where.ts'
import { all, narrowed, recordsOf } from './source.ts'
import { valueSql } from './subject-sql.ts'

type Question = Input<typeof memoryAggregate>
type Answer = Output<typeof memoryAggregate>
type Group = Answer['groups'][number]

const GROUPS_BESIDES = new Set(['$agent', '$run_id', '$actor'])

const refuse = (field: string, message: string): LoomError => new LoomError('INVALID_ARGUMENT', `${field} ${message}.`, { field })

function fieldOf({ function: by, field }: Question, defs: readonly FieldDef[]): Subject | null {
  if (field === undefined) {
    if (by === 'count') return null
    throw refuse('field', `is needed by ${by}: name the field to take the ${by} of`)
  }
  const subject = requireField(field, 'field', defs)
  const isNumber = subject.type === 'number' || subject.type === 'integer'
  if ((by === 'sum' || by === 'avg') && !isNumber) throw refuse('field', `must be a number for ${by}, and ${field} is a ${subject.type}`)
  if ((by === 'min' || by === 'max') && subject.type === 'boolean') throw refuse('field', `has no order for ${by}: ${field} is a boolean`)
  return subject
}

function groupsOf({ group_by }: Question, defs: readonly FieldDef[]): Subject[] {
  return group_by.map((name, at) => {
    const subject = requireSubject(name, `group_by[${at}]`, defs)
    if (!subject.isField && !GROUPS_BESIDES.has(name)) throw refuse(`group_by[${at}]`, 'must be a field, $agent, $run_id or $actor')
    if (group_by.indexOf(name) !== at) throw refuse(`group_by[${at}]`, 'is named twice')
    return subject
  })
}

/** What is computed over the values `val` of a group, in decimal. */
const VALUES = { count: 'count(val)', sum: 'sum(val)', avg: 'avg(val)', min: 'min(val)', max: 'max(val)' } as const

type Row = Readonly<Record<string, string | null>> & {
  readonly n: number
  readonly groups: number
  readonly value: string | null
  readonly total: string | null
}

function valueOf(by: Question['function'], subject: Subject | null, { n, value, total }: Row): Group['value'] {
  if (by === 'count') return n
  if (value === null || subject === null) return null
  if (by === 'sum') return exactNumber(value)
  if (by === 'avg') return nearestAverage(total ?? '0', n)
  return subject.type === 'string' ? value : Number(value)
}

function keyOf(subject: Subject, text: string | null): Scalar | null {
  if (text === null || subject.type === 'string') return text
  return subject.type === 'boolean' ? text === 'true' : Number(text)
}

/** Counts, sums and extremes of records in groups, computed by the store: by value descending, then by key (REC015, REC016). */
export async function aggregate(input: Question, defs: readonly FieldDef[], context: ReadContext): Promise<Answer> {
  const subject = fieldOf(input, defs)
  const groups = groupsOf(input, defs)
  const conditions = [...narrowed(context), sql<boolean>`NOT r.tombstoned`, predicateSql(readWhere(input.where, defs))]
  const names = groups.map((_, at) => sql.ref(`g${at}`))
  const picked = [
    ...groups.map((group, at) => sql`${valueSql(group)} AS ${sql.ref(`g${at}`)}`),
    sql`${subject ? valueSql(subject) : sql`1`} AS val`,
  ]
  const isNumber = subject?.type === 'number' || subject?.type === 'integer'
  const columns: RawBuilder<unknown>[] = [
    ...names.map((name) => sql`${name}::text AS ${name}`),
    sql`count(val)::int AS n`,
    sql`(${sql.raw(VALUES[input.function])})::text AS value`,
    sql`${input.function === 'avg' && isNumber ? sql`sum(val)::text` : sql`NULL::text`} AS total`,
    sql`(count(*) OVER ())::int AS groups`,
  ]
  const { rows } = await sql<Row>`SELECT ${sql.join(columns)} FROM (
      SELECT ${sql.join(picked)} FROM ${recordsOf(input.schema, input.as_of, context)} WHERE ${all(conditions)}) q
    ${names.length === 0 ? sql`` : sql`GROUP BY ${sql.join(names)}`}
    ORDER BY ${sql.join([sql`${sql.raw(VALUES[input.function])} DESC NULLS LAST`, ...names.map((name) => sql`q.${name} ASC NULLS LAST`)])}
    LIMIT ${input.limit}`.execute(context.db)
  const total_groups = rows[0]?.groups ?? 0
  return {
    groups: rows.map((row) => ({
      key: Object.fromEntries(groups.map((group, at) => [group.name, keyOf(group, row[`g${at}`] ?? null)])),
      value: valueOf(input.function, subject, row),
      n: row.n,
    })),
    total_groups,
    truncated: total_groups > rows.length,
  }
}
