import type { Json } from '../../../shared/contract/common.ts'
import type { FieldDef } from '../../data/records.ts'
import type { FILTER } from './strings.ts'

/** Filters as a person sets them, and the predicate that they ask. */

export type Operator = keyof typeof FILTER.operators

export interface Filter {
  readonly field: string
  readonly by: Operator
  readonly value: string
}

const OF_TYPES: Readonly<Record<FieldDef['type'], readonly Operator[]>> = {
  string: ['contains', 'eq', 'ne', 'starts_with', 'known', 'gap'],
  number: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'known', 'gap'],
  integer: ['eq', 'ne', 'gt', 'gte', 'lt', 'lte', 'known', 'gap'],
  boolean: ['eq', 'known', 'gap'],
}

/** What can be asked of a field; of listed values first of all which it is. */
export function operatorsOf({ type, enum_values }: FieldDef): readonly Operator[] {
  return type === 'string' && enum_values ? ['eq', 'ne', 'contains', 'known', 'gap'] : OF_TYPES[type]
}

export const needsValue = (by: Operator): boolean => by !== 'known' && by !== 'gap'

/** The operand in the type of its field; null where the text is none. */
export function operandOf(text: string, { type }: Pick<FieldDef, 'type'>): string | number | boolean | null {
  if (type === 'string') return text
  if (type === 'boolean') return text === 'true'
  const value = Number(text.trim().replace(',', '.'))
  return text.trim() === '' || !Number.isFinite(value) ? null : value
}

function condition({ by, value }: Filter, def: FieldDef): Json {
  if (by === 'known') return { state: 'value' }
  if (by === 'gap') return { state: ['unknown', 'absent', 'rejected'] }
  return { [by]: operandOf(value, def) }
}

/** All filters hold. One of a field that the schema has no more asks nothing. */
export function predicateOf(filters: readonly Filter[], fields: readonly FieldDef[]): Json {
  const asked = filters.flatMap((filter): Json[] => {
    const def = fields.find((field) => field.name === filter.field)
    return def ? [{ [filter.field]: condition(filter, def) }] : []
  })
  return asked.length === 0 ? {} : { and: asked }
}
