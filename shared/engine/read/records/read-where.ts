import { DateTimeIn } from '../../../contract/common.ts'
import { LoomError } from '../../../contract/errors.ts'
import { OWN_SUBJECTS, readPredicate, subjectOf, type Predicate, type Subject } from '../../../domain/records/predicate.ts'
import type { FieldDef } from '../../../domain/records/schema.ts'
import { nearestName } from '../../arguments.ts'

const toUtc = (text: string): string | null => DateTimeIn.safeParse(text).data ?? null

function unknownName(name: string, field: string, defs: readonly FieldDef[]): LoomError {
  const nearest = nearestName(name, [...defs.map((def) => def.name), ...Object.keys(OWN_SUBJECTS)])
  const hint = nearest === null ? `Its fields are ${defs.map((def) => def.name).join(', ')}` : `Did you mean ${nearest}`
  return new LoomError('INVALID_ARGUMENT', `${field}: ${name} is no field of this schema. ${hint}${nearest === null ? '.' : '?'}`, {
    field,
    ...(nearest !== null && { did_you_mean: { [name]: nearest } }),
  })
}

/** @throws LoomError INVALID_ARGUMENT with the path in the predicate, and what a mistyped field was meant to be */
export function readWhere(where: unknown, defs: readonly FieldDef[]): Predicate {
  const made = readPredicate(where, defs, 'where', toUtc)
  if ('predicate' in made) return made.predicate
  const { field, message, unknown } = made.fault
  if (unknown !== undefined) throw unknownName(unknown, field, defs)
  throw new LoomError('INVALID_ARGUMENT', `${field} ${message}.`, { field })
}

/** @throws LoomError INVALID_ARGUMENT for a name that is neither a field nor one of the record's own */
export function requireSubject(name: string, field: string, defs: readonly FieldDef[]): Subject {
  const subject = subjectOf(name, defs)
  if (subject) return subject
  throw unknownName(name, field, defs)
}

/** @throws LoomError INVALID_ARGUMENT for a name that is no field of the schema */
export function requireField(name: string, field: string, defs: readonly FieldDef[]): Subject {
  const subject = requireSubject(name, field, defs)
  if (subject.isField) return subject
  throw new LoomError('INVALID_ARGUMENT', `${field} must be a field of the schema, and ${name} belongs to the record.`, { field })
}
