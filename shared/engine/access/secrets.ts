import { createHash, createPublicKey, randomBytes, timingSafeEqual, verify, type KeyObject } from 'node:crypto'
import { LoomError } from '../../contract/errors.ts'

/** Ids, secrets and proofs of tokens, pairing codes and devices. Of a secret only the SHA-256 is ever stored. */

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'
/** Crockford's base32: no letter that reads as another. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

const randomText = (alphabet: string, length: number): string => Array.from(randomBytes(length), (byte) => alphabet[byte & 31]).join('')

/** 16 characters of `a-z2-7`: 80 random bits. */
export const newTokenId = (): string => randomText(BASE32, 16)
export const newDeviceId = (): string => `dev_${randomText(BASE32, 16)}`
export const newServerId = (): string => `srv_${randomText(BASE32, 16)}`
/** 43 characters of base64url: 256 random bits. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/** Compares two hashes in a time that tells nothing. */
export function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

const grouped = (symbols: string): string => symbols.replace(/^(.{4})(.{4})(.{4})$/, '$1-$2-$3')

/** A pairing code, `XXXX-XXXX-XXXX`: 60 random bits. */
export const newPairCode = (): string => grouped(randomText(CROCKFORD, 12))

/** A code as it was printed, whatever its case and hyphens; null for what can be none. */
export function canonicalPairCode(text: string): string | null {
  const symbols = text.toUpperCase().replaceAll(/[-\s]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return /^[0-9A-HJKMNP-TV-Z]{12}$/.test(symbols) ? grouped(symbols) : null
}

/** What a device signs to show that it holds the key it names. */
export const pairProofText = (credential: string): string => `loom-pair-v1\n${credential}`

/**
 * The one spelling of an Ed25519 public key, whose proof over a credential it checks.
 * @throws LoomError INVALID_ARGUMENT naming `device_key` or `proof`.
 */
export function provenDeviceKey(device: { readonly device_key: string; readonly proof: string }, credential: string): string {
  const bytes = Buffer.from(device.device_key, 'base64url')
  const x = bytes.toString('base64url')
  const signature = Buffer.from(device.proof, 'base64url')
  if (!verifies(publicKey(x), pairProofText(credential), signature)) {
    throw new LoomError('INVALID_ARGUMENT', 'proof is no signature by device_key over loom-pair-v1, a newline and the credential.', {
      field: 'proof',
    })
  }
  return x
}

function publicKey(x: string): KeyObject {
  try {
    return createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  } catch (cause) {
    throw new LoomError('INVALID_ARGUMENT', 'device_key is no Ed25519 public key.', { field: 'device_key' }, { cause })
  }
}

function verifies(key: KeyObject, text: string, signature: Buffer): boolean {
  try {
    return verify(null, Buffer.from(text), key, signature)
  } catch {
    return false
  }
}
