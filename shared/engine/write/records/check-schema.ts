import { LoomError } from '../../../contract/errors.ts'
import { schemaFault, type FieldDef } from '../../../domain/records/schema.ts'
import { compilePattern } from '../blacklist.ts'
import { finds } from './finds.ts'

/**
 * Steps of a compiled pattern. A match costs steps times characters: a string of 16,384 characters takes 0.2 s against
 * 1000 steps on one core. What people write has fewer than a hundred.
 */
const MOST_STEPS = 1000
/** Of all patterns of one schema: a record of nothing but the longest strings is still checked within a second. */
const MOST_STEPS_OF_SCHEMA = 4000

const invalid = (field: string, message: string): LoomError => new LoomError('INVALID_ARGUMENT', `${field} ${message}.`, { field })

function stepsOf(pattern: string, field: string): number {
  try {
    return compilePattern(pattern).programSize()
  } catch (error) {
    throw invalid(field, `does not compile: ${error instanceof Error ? error.message : 'not RE2 syntax'}`)
  }
}

/** @throws LoomError INVALID_ARGUMENT with the path of the first fault, as `fields[3].pattern` */
export function checkSchema(fields: readonly FieldDef[]): void {
  let steps = 0
  for (const [at, { pattern }] of fields.entries()) {
    if (pattern === undefined) continue
    const field = `fields[${at}].pattern`
    const own = stepsOf(pattern, field)
    steps += own
    if (own > MOST_STEPS) throw invalid(field, `is too large: its repeats make ${own} steps, and ${MOST_STEPS} are the most`)
    if (steps > MOST_STEPS_OF_SCHEMA)
      throw invalid(field, `makes the patterns of the schema too large: ${MOST_STEPS_OF_SCHEMA} steps are the most`)
  }
  const fault = schemaFault(fields, finds)
  if (fault) throw invalid(fault.field, fault.message)
}
