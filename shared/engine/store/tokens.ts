import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { v7 } from 'uuid'
import type { Claims } from '../../contract/ops/engine/info.ts'
import { hashSecret } from '../auth.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'
import { writeAudit } from './audit.ts'

/** What a token is to say; left out: unbound, and never expiring. */
export type NewToken = Pick<Claims, 'org' | 'subject' | 'kind' | 'grants'> &
  Partial<Pick<Claims, 'agent' | 'user_id' | 'own_session' | 'session_id' | 'device_id'>> & {
    readonly expires_at?: Date | null
    readonly note?: string
  }

export interface MintedToken {
  /** The whole token. It is nowhere else: only the SHA-256 of its secret is stored. */
  readonly token: string
  readonly claims: Claims
}

/** Who mints: an actor for the audit, and the id of the call. */
export interface Minter {
  readonly actor: string
  readonly requestId: string
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** 16 characters of `a-z2-7`: 80 random bits. */
function newTokenId(): string {
  return Array.from(randomBytes(16), (byte) => BASE32[byte & 31]).join('')
}

/** Stores a new token with its audit row, and its org, which exists once a token names it. */
export async function mintToken(tx: Tx, token: NewToken, minter: Minter, now: Date): Promise<MintedToken> {
  const token_id = newTokenId()
  const secret = randomBytes(32).toString('base64url')
  const { expires_at: expires = null, note = '', ...named } = token
  const own = token.own_session ?? false
  const claims = {
    agent: '',
    user_id: '',
    device_id: '',
    ...named,
    token_id,
    own_session: own,
    session_id: token.session_id || (own ? `tok-${token_id}` : ''),
  }
  if (token.org !== '*') {
    await tx
      .insertInto('org')
      .values({ org: token.org, created_at: now })
      .onConflict((conflict) => conflict.doNothing())
      .execute()
  }
  await tx
    .insertInto('auth_token')
    .values({
      ...claims,
      grants: JSON.stringify(token.grants),
      secret_sha256: hashSecret(secret),
      note,
      created_at: now,
      created_by: minter.actor,
      expires_at: expires,
      last_used_at: null,
      revoked_at: null,
    })
    .execute()
  await writeAudit(tx, [
    { op: 'token.mint', at: now, org: token.org, actor: minter.actor, requestId: minter.requestId, subject: `token:-/-/-/${token_id}` },
  ])
  return { token: `loom_${token_id}_${secret}`, claims: { ...claims, expires_at: expires?.toISOString() ?? null } }
}

/** Any number; the same in every process, so that two first starts take turns. */
const FIRST_TOKEN_LOCK = 7_208_132n

/** The subject of what the server itself does on its machine. */
export const SERVER_ACTOR = 'process:loom-server'

/** The first token of a store that has none: the org's admin, never expiring. Null where there is a token already. */
export function mintFirstToken(database: Database, org: string, now: Date): Promise<MintedToken | null> {
  return database.transaction(async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${FIRST_TOKEN_LOCK})`.execute(tx)
    if (await hasTokens(tx)) return null
    const admin: NewToken = { org, subject: 'admin', kind: 'human', grants: { '*': 'org_admin' }, note: 'first start' }
    return mintToken(tx, admin, { actor: SERVER_ACTOR, requestId: v7() }, now)
  })
}

async function hasTokens(db: Queryable): Promise<boolean> {
  return (await db.selectFrom('auth_token').select('token_id').limit(1).executeTakeFirst()) !== undefined
}
