import { isOfType, type FieldDef, type FieldType, type Scalar } from './schema.ts'
import type { State } from './values.ts'

/** The question that a caller asks of records: one JSON object, read into a tree whose every operand has its type. */

/** What a predicate reads: a field of the schema, or a `$` name of the record itself. */
export interface Subject {
  readonly name: string
  readonly type: FieldType | 'datetime'
  readonly isField: boolean
}

export type Comparator = 'eq' | 'ne' | 'lt' | 'lte' | 'gt' | 'gte'

export type Predicate =
  | { readonly kind: 'all' | 'any'; readonly of: readonly Predicate[] }
  | { readonly kind: 'not'; readonly of: Predicate }
  | { readonly kind: 'compare'; readonly subject: Subject; readonly by: Comparator; readonly value: Scalar }
  | { readonly kind: 'in'; readonly subject: Subject; readonly values: readonly Scalar[] }
  | { readonly kind: 'text'; readonly subject: Subject; readonly by: 'contains' | 'starts_with'; readonly value: string }
  | { readonly kind: 'state'; readonly subject: Subject; readonly states: readonly State[] }

export interface PredicateFault {
  readonly field: string
  readonly message: string
  /** A name that is none; the host may know what was meant. */
  readonly unknown?: string
}

export const OWN_SUBJECTS: Readonly<Record<string, Subject['type']>> = {
  $record_key: 'string',
  $agent: 'string',
  $session_id: 'string',
  $run_id: 'string',
  $actor: 'string',
  $created_at: 'datetime',
  $first_created_at: 'datetime',
}

const MOST_LEVELS = 8
const MOST_COMPARISONS = 64
const MOST_MEMBERS = 32
const MOST_IN = 200

const STATES: ReadonlySet<unknown> = new Set(['value', 'unknown', 'rejected', 'absent'])
const ORDERED = new Set(['lt', 'lte', 'gt', 'gte'])
const TEXTUAL = ['contains', 'starts_with']
const OPERATORS = ['eq', 'ne', ...ORDERED, 'in', ...TEXTUAL, 'state']
const WORDS = new Set(['and', 'or', 'not'])

class Broken extends Error {
  readonly fault: PredicateFault
  constructor(fault: PredicateFault) {
    super(fault.message)
    this.fault = fault
  }
}

const stop = (field: string, message: string, unknown?: string): never => {
  throw new Broken({ field, message, ...(unknown !== undefined && { unknown }) })
}

type Members = Readonly<Record<string, unknown>>
const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a name stands for in a schema; null for none. */
export function subjectOf(name: string, defs: readonly FieldDef[]): Subject | null {
  const def = defs.find((one) => one.name === name)
  if (def) return { name, type: def.type, isField: true }
  const own = Object.hasOwn(OWN_SUBJECTS, name) ? OWN_SUBJECTS[name] : undefined
  return own === undefined ? null : { name, type: own, isField: false }
}

/**
 * Reads a predicate.
 * @param path where it stands in the call, for what is wrong in it
 * @param toUtc an ISO 8601 text as UTC with milliseconds; null for one that is none
 */
export function readPredicate(
  told: unknown,
  defs: readonly FieldDef[],
  path: string,
  toUtc: (text: string) => string | null,
): { readonly predicate: Predicate } | { readonly fault: PredicateFault } {
  let comparisons = 0

  function count(at: string): void {
    if (++comparisons > MOST_COMPARISONS) stop(at, `is one of more than ${MOST_COMPARISONS} comparisons`)
  }

  function operand(value: unknown, subject: Subject, at: string): Scalar {
    if (subject.type === 'datetime') {
      const utc = typeof value === 'string' ? toUtc(value) : null
      return utc ?? stop(at, 'must be an ISO 8601 date or date-time')
    }
    const plain = typeof value === 'bigint' ? Number(value) : value
    const type = subject.type === 'integer' ? 'number' : subject.type
    if (!isOfType(plain, type)) stop(at, `must be a ${type}, as ${subject.name} is; nothing is converted`)
    return typeof plain === 'string' ? plain.normalize('NFC') : (plain as Scalar)
  }

  function operator(by: string, value: unknown, subject: Subject, at: string): Predicate {
    count(at)
    if (by === 'state') {
      if (!subject.isField) stop(at, `is for fields of the schema, and ${subject.name} always has a value`)
      const states = Array.isArray(value) ? (value as unknown[]) : [value]
      if (states.length === 0 || !states.every((one) => STATES.has(one)))
        stop(at, 'must be one or several of value, unknown, rejected, absent')
      return { kind: 'state', subject, states: states as State[] }
    }
    if (by === 'in') {
      const values = Array.isArray(value) ? (value as unknown[]) : stop(at, 'must be a list')
      if (values.length === 0 || values.length > MOST_IN) stop(at, `must hold 1 to ${MOST_IN} values`)
      return { kind: 'in', subject, values: values.map((one, place) => operand(one, subject, `${at}[${place}]`)) }
    }
    if (by === 'contains' || by === 'starts_with') {
      if (subject.type !== 'string') stop(at, `is for strings, and ${subject.name} is a ${subject.type}`)
      return { kind: 'text', subject, by, value: String(operand(value, subject, at)) }
    }
    if (subject.type === 'boolean' && ORDERED.has(by)) stop(at, `is for what has an order, and ${subject.name} is a boolean`)
    return { kind: 'compare', subject, by: by as Comparator, value: operand(value, subject, at) }
  }

  function condition(name: string, told: unknown, at: string): Predicate {
    const subject = subjectOf(name, defs) ?? stop(at, 'is no field of this schema', name)
    if (!isMembers(told)) {
      if (told === null || Array.isArray(told))
        return stop(at, 'must be a plain value or an object of operators; ask for gaps with {"state":"unknown"}')
      return operator('eq', told, subject, at)
    }
    const names = Object.keys(told)
    if (names.length === 0) stop(at, `needs an operator: ${OPERATORS.join(', ')}`)
    const of = names.map((by) => {
      if (!OPERATORS.includes(by)) stop(`${at}.${by}`, `is no operator; there are ${OPERATORS.join(', ')}`)
      return operator(by, told[by], subject, `${at}.${by}`)
    })
    return of.length === 1 && of[0] ? of[0] : { kind: 'all', of }
  }

  function node(told: unknown, at: string, level: number): Predicate {
    if (level > MOST_LEVELS) stop(at, `nests deeper than ${MOST_LEVELS} levels`)
    const members = isMembers(told) ? told : stop(at, 'must be one JSON object')
    const names = Object.keys(members)
    const word = names.find((name) => WORDS.has(name))
    if (word !== undefined && names.length > 1) stop(at, `has ${word} beside something else: and, or, not stand alone in their object`)
    if (word === 'not') return { kind: 'not', of: node(members['not'], `${at}.not`, level + 1) }
    if (word !== undefined) {
      const list = Array.isArray(members[word]) ? (members[word] as unknown[]) : stop(`${at}.${word}`, 'must be a list')
      if (list.length === 0 || list.length > MOST_MEMBERS) stop(`${at}.${word}`, `must have 1 to ${MOST_MEMBERS} members`)
      const of = list.map((one, place) => node(one, `${at}.${word}[${place}]`, level + 1))
      return { kind: word === 'and' ? 'all' : 'any', of }
    }
    return { kind: 'all', of: names.map((name) => condition(name, members[name], `${at}.${name}`)) }
  }

  try {
    return { predicate: node(told, path, 1) }
  } catch (error) {
    if (error instanceof Broken) return { fault: error.fault }
    throw error
  }
}
