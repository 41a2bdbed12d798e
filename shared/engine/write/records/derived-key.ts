import { LoomError } from '../../../contract/errors.ts'
import { deriveKey } from '../../../domain/records/identity-key.ts'
import type { Scalar } from '../../../domain/records/schema.ts'
import type { ActiveSchema } from '../../store/record-schemas.ts'
import { sha256 } from '../../store/sha256.ts'

/** The key that identity values make; null where they make none. */
export function derivedKey({ name, fields }: ActiveSchema, values: ReadonlyMap<string, Scalar>): string | null {
  const made = deriveKey(name, fields, values, sha256)
  return 'key' in made ? made.key : null
}

/** @throws LoomError MISSING_IDENTITY_FIELD naming the field that has no value, or one that leaves nothing */
export function requireDerivedKey({ name, fields }: ActiveSchema, values: ReadonlyMap<string, Scalar>): string {
  const made = deriveKey(name, fields, values, sha256)
  if ('key' in made) return made.key
  const { missing, empty } = made
  if (missing === '')
    throw new LoomError('MISSING_IDENTITY_FIELD', `${name} has no identity field to derive a key from. Send record_key.`, {
      field: 'record_key',
    })
  const why = empty ? 'has a value with nothing in it that could make a key' : 'is an identity field and has no value'
  throw new LoomError('MISSING_IDENTITY_FIELD', `${missing} ${why}. Send another value, or a record_key.`, { field: `fields.${missing}` })
}
