/** What a record schema is, and what makes one sound. */

export type FieldType = 'string' | 'number' | 'integer' | 'boolean'
export type Scalar = string | number | boolean

export interface FieldDef {
  readonly name: string
  readonly description: string
  readonly type: FieldType
  readonly required: boolean
  readonly identity: boolean
  readonly enum_values?: Scalar[] | undefined
  /** RE2 syntax, unanchored, on NFC text. */
  readonly pattern?: string | undefined
  /** Code points of the NFC text. */
  readonly min_length?: number | undefined
  readonly max_length?: number | undefined
  /** Inclusive. */
  readonly min_value?: number | undefined
  readonly max_value?: number | undefined
}

/** What is wrong with a schema, and where: `fields[3].pattern`. */
export interface SchemaFault {
  readonly field: string
  readonly message: string
}

export const MOST_CHARACTERS = 16_384

/** Looks for a pattern in a text; patterns belong to the host, for they must run in linear time. */
export type Finds = (pattern: string, text: string) => boolean

const isTrailing = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff

/** Code points of the NFC text, counted in place: a text may be as long as a request. */
export function lengthOf(text: string): number {
  const composed = text.normalize('NFC')
  let length = composed.length
  for (let at = 0; at < composed.length; at++) if (isTrailing(composed.charCodeAt(at))) length--
  return length
}

/** Whether a value is of a type, as it stands: nothing is coerced. */
export function isOfType(value: unknown, type: FieldType): value is Scalar {
  switch (type) {
    case 'string':
      return typeof value === 'string'
    case 'boolean':
      return typeof value === 'boolean'
    case 'integer':
      return Number.isSafeInteger(value)
    case 'number':
      return typeof value === 'number' && Number.isFinite(value)
  }
}

export type Rule =
  | 'unknown_field'
  | 'type'
  | 'required'
  | 'enum_values'
  | 'pattern'
  | 'min_length'
  | 'max_length'
  | 'min_value'
  | 'max_value'

/** Constraints that a value of the right type breaks. */
export function brokenRules(value: Scalar, def: Omit<FieldDef, 'name' | 'description' | 'required' | 'identity'>, finds: Finds): Rule[] {
  const broken: Rule[] = []
  if (typeof value === 'string') {
    const text = value.normalize('NFC')
    const length = lengthOf(text)
    if (length > MOST_CHARACTERS || (def.max_length !== undefined && length > def.max_length)) broken.push('max_length')
    if (def.min_length !== undefined && length < def.min_length) broken.push('min_length')
    if (def.enum_values && !def.enum_values.some((one) => typeof one === 'string' && one.normalize('NFC') === text))
      broken.push('enum_values')
    if (def.pattern !== undefined && length <= MOST_CHARACTERS && !finds(def.pattern, text)) broken.push('pattern')
  } else if (typeof value === 'number') {
    if (def.min_value !== undefined && value < def.min_value) broken.push('min_value')
    if (def.max_value !== undefined && value > def.max_value) broken.push('max_value')
    if (def.enum_values && !def.enum_values.includes(value)) broken.push('enum_values')
  }
  return broken
}

const TAKEN = new Set(['and', 'or', 'not'])
const OF_TYPES: readonly (readonly [keyof FieldDef, readonly FieldType[]])[] = [
  ['enum_values', ['string', 'number', 'integer']],
  ['pattern', ['string']],
  ['min_length', ['string']],
  ['max_length', ['string']],
  ['min_value', ['number', 'integer']],
  ['max_value', ['number', 'integer']],
]

/** A value without the difference between spellings that are one to a reader of the store. */
const plain = (value: Scalar): Scalar => (typeof value === 'string' ? value.normalize('NFC') : value)

function enumFault(def: FieldDef, finds: Finds): SchemaFault | null {
  const values = def.enum_values ?? []
  for (const [at, value] of values.entries()) {
    const field = `enum_values[${at}]`
    if (!isOfType(value, def.type)) return { field, message: `is not of type ${def.type}` }
    if (values.findIndex((one) => plain(one) === plain(value)) !== at) return { field, message: 'stands twice' }
    const [rule] = brokenRules(value, { ...def, enum_values: undefined }, finds)
    if (rule) return { field, message: `breaks ${rule} of its own field` }
  }
  return null
}

function fieldFault(def: FieldDef, finds: Finds): SchemaFault | null {
  if (TAKEN.has(def.name)) return { field: 'name', message: 'may not be and, or, not: predicates use these words' }
  for (const [rule, types] of OF_TYPES)
    if (def[rule] !== undefined && !types.includes(def.type)) return { field: rule, message: `is not for a field of type ${def.type}` }
  if ((def.min_length ?? 0) > (def.max_length ?? Number.POSITIVE_INFINITY)) return { field: 'min_length', message: 'is over max_length' }
  if ((def.min_value ?? Number.NEGATIVE_INFINITY) > (def.max_value ?? Number.POSITIVE_INFINITY))
    return { field: 'min_value', message: 'is over max_value' }
  return enumFault(def, finds)
}

/** The first thing wrong with the fields of a schema; null when they are sound. */
export function schemaFault(fields: readonly FieldDef[], finds: Finds): SchemaFault | null {
  const names = new Set<string>()
  for (const [at, def] of fields.entries()) {
    const fault = names.has(def.name) ? { field: 'name', message: 'stands twice in this schema' } : fieldFault(def, finds)
    if (fault) return { field: `fields[${at}].${fault.field}`, message: fault.message }
    names.add(def.name)
  }
  return null
}

/** Why a schema may not follow an active one whose records exist; null when it may. Fields may come, go and change rules. */
export function incompatibility(before: readonly FieldDef[], after: readonly FieldDef[]): SchemaFault | null {
  const now = new Map(after.map((def) => [def.name, def]))
  for (const def of before) {
    const next = now.get(def.name)
    if (next && next.type !== def.type) return { field: def.name, message: `is ${def.type} in the active version, and here ${next.type}` }
    if (def.identity && next?.identity !== true)
      return { field: def.name, message: 'is an identity field in the active version, and here it is not' }
  }
  const was = new Set(before.filter((def) => def.identity).map((def) => def.name))
  const added = after.find((def) => def.identity && !was.has(def.name))
  return added ? { field: added.name, message: 'is no identity field in the active version, and here it is one' } : null
}
