import { LoomError } from '../../contract/errors.ts'
import { secretVariable } from '../../domain/webhook/secret-variable.ts'

/** Reads a variable of the server's environment, at each use. */
export type SecretOf = (name: string) => string | undefined

const NAME = /^[A-Z0-9][A-Z0-9_]{0,63}$/

/** @throws LoomError INVALID_ARGUMENT for any variable but a webhook secret of this org. */
export function checkSecretRef(ref: string, org: string): void {
  const prefix = secretVariable(org, '')
  if (ref.startsWith(prefix) && NAME.test(ref.slice(prefix.length))) return
  throw new LoomError('INVALID_ARGUMENT', `secret_ref must name a webhook secret of this org: ${prefix}<NAME>, NAME of A-Z, 0-9 and _.`, {
    field: 'secret_ref',
  })
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const PREFIX = 'whsec_'

/** The bytes to sign with; null when the variable is unset or holds nothing usable. */
export function secretBytes(ref: string, secretOf: SecretOf): Uint8Array | null {
  const value = secretOf(ref) ?? ''
  if (value === '') return null
  if (!value.startsWith(PREFIX)) return Buffer.from(value, 'utf8')
  const text = value.slice(PREFIX.length).replaceAll(/\s/g, '')
  return text !== '' && BASE64.test(text) ? Buffer.from(text, 'base64') : null
}
