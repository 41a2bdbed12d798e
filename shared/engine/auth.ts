import { createHash, timingSafeEqual } from 'node:crypto'
import { LoomError } from '../contract/errors.ts'
import type { Claims } from '../contract/ops/engine/info.ts'
import { localClaims } from './caller.ts'
import type { Clock } from './clock.ts'
import type { Reader } from './db/database.ts'

const TOKEN = /^loom_([a-z2-7]{16})_([A-Za-z0-9_-]{43})$/

export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

function sameHash(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))
}

const refused = (): LoomError =>
  new LoomError(
    'UNAUTHENTICATED',
    'This call needs a valid token: Authorization: Bearer loom_…. It is missing, unknown, expired or revoked.',
  )

/**
 * The claims behind a token, read on every call, so that a revocation holds at once.
 * @throws LoomError UNAUTHENTICATED, alike for every bad token.
 */
export async function readClaims(db: Reader, token: string | undefined, clock: Clock): Promise<Claims> {
  const parts = token === undefined ? null : TOKEN.exec(token)
  if (!parts) throw refused()
  const row = await db
    .selectFrom('auth_token')
    .selectAll()
    .where('token_id', '=', parts[1] ?? '')
    .executeTakeFirst()
  const live = row !== undefined && row.revoked_at === null && (row.expires_at === null || row.expires_at.getTime() > clock())
  if (!live || !sameHash(row.secret_sha256, hashSecret(parts[2] ?? ''))) throw refused()
  return {
    token_id: row.token_id,
    subject: row.subject,
    kind: row.kind as Claims['kind'],
    org: row.org,
    grants: row.grants as Claims['grants'],
    agent: row.agent,
    user_id: row.user_id,
    own_session: row.own_session,
    session_id: row.session_id,
    device_id: row.device_id,
    expires_at: row.expires_at?.toISOString() ?? null,
  }
}

/** Claims in single mode: the person of the install, or the program that a connection names. */
export function singleClaims(client: string | undefined): Claims {
  return client === undefined ? localClaims('human', 'local') : localClaims('process', client)
}
