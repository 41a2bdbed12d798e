import { sql, type RawBuilder } from 'kysely'
import type { Comparator, Predicate, Subject } from '../../../domain/records/predicate.ts'
import type { Scalar } from '../../../domain/records/schema.ts'
import { foldText } from '../../../domain/records/values.ts'
import { foldedSql, stateSql, valueSql } from './subject-sql.ts'
import type { Condition } from './source.ts'

const OPERATORS: Readonly<Record<Comparator, string>> = { eq: '=', ne: '<>', lt: '<', lte: '<=', gt: '>', gte: '>=' }

const CASTS: Readonly<Record<Subject['type'], string>> = {
  string: 'text',
  number: 'numeric',
  integer: 'numeric',
  boolean: 'boolean',
  datetime: 'timestamptz',
}

/** Numbers go as their shortest decimal text, so that 0.1 is the decimal that was written. */
const operandSql = ({ type }: Subject, value: Scalar): RawBuilder<unknown> => sql`${String(value)}::text::${sql.raw(CASTS[type])}`

/** Whether a record `r` answers a predicate. Every operand is bound; a comparison with what has no value is false. */
export function predicateSql(predicate: Predicate): Condition {
  switch (predicate.kind) {
    case 'all':
      return predicate.of.length === 0 ? sql<boolean>`true` : sql<boolean>`(${sql.join(predicate.of.map(predicateSql), sql` AND `)})`
    case 'any':
      return sql<boolean>`(${sql.join(predicate.of.map(predicateSql), sql` OR `)})`
    case 'not':
      return sql<boolean>`(NOT ${predicateSql(predicate.of)})`
    case 'compare': {
      const { subject, by, value } = predicate
      return sql<boolean>`coalesce(${valueSql(subject)} ${sql.raw(OPERATORS[by])} ${operandSql(subject, value)}, false)`
    }
    case 'in': {
      const { subject, values } = predicate
      return sql<boolean>`coalesce(${valueSql(subject)} = any(${values.map(String)}::text[]::${sql.raw(CASTS[subject.type])}[]), false)`
    }
    case 'text': {
      const { text, operand } = foldedSql(predicate.subject, predicate.value, foldText(predicate.value))
      const found = predicate.by === 'contains' ? sql`strpos(${text}, ${operand}) > 0` : sql`starts_with(${text}, ${operand})`
      return sql<boolean>`coalesce(${found}, false)`
    }
    case 'state':
      return sql<boolean>`(${stateSql(predicate.subject)} = any(${[...predicate.states]}::text[]))`
  }
}
