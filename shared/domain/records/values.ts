import { compactJson } from '../claim/stored-form.ts'
import { foldCase } from '../text/fold-case.ts'
import { brokenRules, isOfType, type FieldDef, type Finds, type Rule, type Scalar } from './schema.ts'

/** Values of fields: what is known, and what is known not to be. */

export type State = 'value' | 'unknown' | 'rejected' | 'absent'
export type FieldValue =
  | { readonly state: 'value'; readonly value: Scalar }
  | { readonly state: 'rejected'; readonly value?: Scalar }
  | { readonly state: 'unknown' | 'absent' }
export type Fields = Readonly<Record<string, FieldValue>>

export interface Violation {
  readonly field: string
  readonly rule: Rule
  readonly message: string
}

export const UNKNOWN: FieldValue = { state: 'unknown' }

/** Values of a list that a refusal names. */
const MOST_SHOWN = 8

const NULL_SAYS_NOTHING = 'null says nothing: send {"state":"unknown"} for not known, {"state":"absent"} for known to be none'

/** An integer past 2^53 comes as bigint; minus zero is zero. */
function plainNumber(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  return value === 0 ? 0 : value
}

function read(value: unknown, def: FieldDef): FieldValue | string {
  if (value === null) return NULL_SAYS_NOTHING
  if (typeof value !== 'object') {
    const plain = plainNumber(value)
    if (isOfType(plain, def.type)) return { state: 'value', value: plain }
    return `must be ${def.type === 'integer' ? 'an integer between -(2^53-1) and 2^53-1' : `a ${def.type}`}; nothing is converted`
  }
  const told = value as Readonly<Record<string, unknown>>
  const { state } = told
  const extra = Object.keys(told).find((name) => name !== 'state' && name !== 'value')
  if (Array.isArray(value) || extra !== undefined || typeof state !== 'string')
    return 'must be a plain value, or {"state": …} with a value where it has one'
  const inner = told['value']
  switch (state) {
    case 'value':
      if (typeof inner === 'object' || inner === undefined) return 'has state value and no plain value'
      return read(inner, def)
    case 'rejected': {
      if (inner === undefined) return { state: 'rejected' }
      const held = typeof inner === 'object' ? 'has a rejected value that is no plain value' : read(inner, def)
      return typeof held === 'string' ? held : { ...held, state: 'rejected' }
    }
    case 'unknown':
    case 'absent':
      return inner === undefined ? { state } : `has state ${state} and yet a value`
    default:
      return 'has a state that is none of value, unknown, rejected, absent'
  }
}

/** What a call says of fields, and what is wrong with it: unknown names and wrong types. */
export function readFields(
  told: Readonly<Record<string, unknown>>,
  defs: readonly FieldDef[],
): { readonly fields: ReadonlyMap<string, FieldValue>; readonly violations: readonly Violation[] } {
  const byName = new Map(defs.map((def) => [def.name, def]))
  const fields = new Map<string, FieldValue>()
  const violations: Violation[] = []
  for (const [name, value] of Object.entries(told)) {
    const def = byName.get(name)
    if (!def) {
      violations.push({ field: name, rule: 'unknown_field', message: `${name} is no field of this schema` })
      continue
    }
    const made = read(value, def)
    if (typeof made === 'string') violations.push({ field: name, rule: 'type', message: `${name} ${made}` })
    else fields.set(name, made)
  }
  return { fields, violations }
}

/** Known values alone, by field. */
export function knownValues(fields: Iterable<readonly [string, FieldValue]>): Map<string, Scalar> {
  const known = new Map<string, Scalar>()
  for (const [name, held] of fields) if (held.state === 'value') known.set(name, held.value)
  return known
}

/** A stored value as the schema has it today: one of another type, from before a field was dropped and came back, is gone. */
export function heldNow(stored: Fields, def: FieldDef): FieldValue {
  const held = Object.hasOwn(stored, def.name) ? stored[def.name] : undefined
  if (held === undefined) return UNKNOWN
  return 'value' in held && !isOfType(held.value, def.type) ? UNKNOWN : held
}

/** Every field of the schema: what the call says, else what is stored, else unknown. */
export function mergeFields(told: ReadonlyMap<string, FieldValue>, stored: Fields, defs: readonly FieldDef[]): Fields {
  return Object.fromEntries(defs.map((def) => [def.name, told.get(def.name) ?? heldNow(stored, def)]))
}

const same = (a: FieldValue, b: FieldValue): boolean =>
  a.state === b.state && ('value' in a ? a.value : undefined) === ('value' in b ? b.value : undefined)

/** Names of fields that differ. */
export function changedFields(after: Fields, before: Fields): string[] {
  return Object.keys(after).filter((name) => !same(after[name] ?? UNKNOWN, (Object.hasOwn(before, name) && before[name]) || UNKNOWN))
}

function limitOf(rule: Rule, def: FieldDef): string {
  const limit = rule === 'unknown_field' || rule === 'type' || rule === 'required' ? undefined : def[rule]
  if (limit === undefined) return ''
  return ` ${Array.isArray(limit) ? limit.slice(0, MOST_SHOWN).join(', ') : String(limit)}`
}

/** What a whole record breaks of its schema. Constraints hold for known values; `required` is met by them alone. */
export function violationsOf(fields: Fields, defs: readonly FieldDef[], finds: Finds): Violation[] {
  return defs.flatMap((def): Violation[] => {
    const held = fields[def.name] ?? UNKNOWN
    if (held.state !== 'value')
      return def.required ? [{ field: def.name, rule: 'required', message: `${def.name} needs a value, and is ${held.state}` }] : []
    return brokenRules(held.value, def, finds).map((rule) => ({
      field: def.name,
      rule,
      message: `${def.name} breaks ${rule}${limitOf(rule, def)}`,
    }))
  })
}

/** The fields as JSON, names sorted: how they are stored, and what content_sha256 is made of. */
export const fieldsJson = (fields: Fields): string => compactJson(fields)

/** What predicates read: known values with NFC text, their folded text where it differs, and states that are no value. */
export function searchable(fields: Fields): { readonly vals: string; readonly folds: string; readonly states: string } {
  const vals: Record<string, Scalar> = {}
  const folds: Record<string, string> = {}
  const states: Record<string, State> = {}
  for (const [name, held] of Object.entries(fields)) {
    if (held.state === 'value') {
      const value = typeof held.value === 'string' ? held.value.normalize('NFC') : held.value
      vals[name] = value
      if (typeof value === 'string' && foldText(value) !== value) folds[name] = foldText(value)
    } else if (held.state !== 'unknown') states[name] = held.state
  }
  return { vals: compactJson(vals), folds: compactJson(folds), states: compactJson(states) }
}

/** A text as `contains` and `starts_with` compare it. */
export const foldText = (text: string): string => foldCase(text.normalize('NFC')).normalize('NFC')
