import { LoomError } from '../contract/errors.ts'
import type { Claims } from '../contract/ops/engine/info.ts'
import { hashSecret, sameHash } from './access/secrets.ts'
import { localClaims } from './caller.ts'
import type { Clock } from './clock.ts'
import type { Reader } from './db/database.ts'
import { deviceById } from './store/devices.ts'
import { claimsOf, tokenById, type TokenRow } from './store/tokens.ts'

const TOKEN = /^loom_([a-z2-7]{16})_([A-Za-z0-9_-]{43})$/

const refused = (): LoomError =>
  new LoomError(
    'UNAUTHENTICATED',
    'This call needs a valid token: Authorization: Bearer loom_…. It is missing, unknown, expired or revoked.',
  )

/** What the holder of a token that ended is told: a device that was revoked learns that, and whether to wipe. */
async function endedToken(db: Reader, row: TokenRow): Promise<LoomError> {
  const device = row.device_id === '' ? null : await deviceById(db, row.org, row.device_id)
  if (!device?.revoked_at) return refused()
  return new LoomError('UNAUTHENTICATED', 'This device was revoked. Pair it anew with a code of an admin.', {
    device_revoked: true,
    wipe: device.wipe,
  })
}

/**
 * The claims behind a token, read on every call, so that a revocation holds at once.
 * @throws LoomError UNAUTHENTICATED, alike for every bad token but the right one of a revoked device.
 */
export async function readClaims(db: Reader, token: string | undefined, clock: Clock): Promise<Claims> {
  const parts = token === undefined ? null : TOKEN.exec(token)
  if (!parts) throw refused()
  const row = await tokenById(db, parts[1] ?? '')
  if (row === null || !sameHash(row.secret_sha256, hashSecret(parts[2] ?? ''))) throw refused()
  if (row.revoked_at !== null) throw await endedToken(db, row)
  if (row.expires_at !== null && row.expires_at.getTime() <= clock()) throw refused()
  return claimsOf(row)
}

/** Claims in single mode: the person of the install, or the program that a connection names. */
export function singleClaims(client: string | undefined): Claims {
  return client === undefined ? localClaims('human', 'local') : localClaims('process', client)
}
