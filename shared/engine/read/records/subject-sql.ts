import { sql, type RawBuilder } from 'kysely'
import type { Subject } from '../../../domain/records/predicate.ts'

/** What a predicate, an order or a group reads of a record `r`. Names of fields are bound as values, like operands. */

/** `$agent` is the column agent. */
const ownColumn = (name: string): RawBuilder<unknown> => sql.ref(`r.${name.slice(1)}`)

/** The known value of a subject in its type, NULL where it has none. Strings compare by code points. */
export function valueSql({ name, type, isField }: Subject): RawBuilder<unknown> {
  if (!isField) return type === 'string' ? sql`(${ownColumn(name)} COLLATE "C")` : ownColumn(name)
  const held = sql`(r.vals -> ${name}::text)`
  // A value of another type is from before the field was dropped and came back.
  switch (type) {
    case 'string':
      return sql`((CASE WHEN jsonb_typeof${held} = 'string' THEN r.vals ->> ${name}::text END) COLLATE "C")`
    case 'boolean':
      return sql`(CASE WHEN jsonb_typeof${held} = 'boolean' THEN ${held}::boolean END)`
    case 'number':
    case 'integer':
    case 'datetime':
      return sql`(CASE WHEN jsonb_typeof${held} = 'number' THEN ${held}::numeric END)`
  }
}

/** A string as `contains` and `starts_with` compare it, and the operand alike. */
export function foldedSql(
  subject: Subject,
  operand: string,
  folded: string,
): { readonly text: RawBuilder<unknown>; readonly operand: RawBuilder<unknown> } {
  const { name, isField } = subject
  if (!isField) return { text: sql`lower(normalize(${ownColumn(name)}))`, operand: sql`lower(normalize(${operand}::text))` }
  return {
    text: sql`(CASE WHEN ${valueSql(subject)} IS NOT NULL THEN coalesce(r.folds ->> ${name}::text, r.vals ->> ${name}::text) END)`,
    operand: sql`${folded}::text`,
  }
}

/** State of a field: `unknown` where nothing was stated. */
export function stateSql(subject: Subject): RawBuilder<string> {
  return sql<string>`(CASE WHEN ${valueSql(subject)} IS NOT NULL THEN 'value' ELSE coalesce(r.states ->> ${subject.name}::text, 'unknown') END)`
}
