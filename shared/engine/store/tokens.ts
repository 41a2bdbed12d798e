import { sql, type RawBuilder, type Selectable } from 'kysely'
import type { Claims } from '../../contract/ops/engine/info.ts'
import { hashSecret, newSecret, newTokenId } from '../access/secrets.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
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

/** Who mints: an actor for the audit, the id of the call, and the operation when it is not token.mint. */
export interface Minter {
  readonly actor: string
  readonly requestId: string
  readonly op?: string
}

/** Who ends a token or device, and why. */
export type Ender = Minter & { readonly op: string; readonly reason?: string }

export type TokenRow = Selectable<Tables['auth_token']>

/** The claims of a stored token. */
export function claimsOf(row: Omit<TokenRow, 'secret_sha256'>): Claims {
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

/** Makes the org that a token or code names, where it is none yet. */
export async function ensureOrg(tx: Tx, org: string, now: Date): Promise<void> {
  if (org === '*') return
  await tx
    .insertInto('org')
    .values({ org, created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Stores a new token with its audit row, and its org, which exists once a token names it. */
export async function mintToken(tx: Tx, token: NewToken, minter: Minter, now: Date): Promise<MintedToken> {
  const token_id = newTokenId()
  const secret = newSecret()
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
  await ensureOrg(tx, token.org, now)
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
  await writeTokenAudit(tx, minter.op ?? 'token.mint', claims, minter, now)
  return { token: `loom_${token_id}_${secret}`, claims: { ...claims, expires_at: expires?.toISOString() ?? null } }
}

async function writeTokenAudit(tx: Tx, op: string, token: Pick<Claims, 'org' | 'token_id'>, by: Minter, now: Date): Promise<void> {
  await writeAudit(tx, [
    { op, at: now, org: token.org, actor: by.actor, requestId: by.requestId, subject: `token:-/-/-/${token.token_id}` },
  ])
}

/** Ends a token. Answers false when it had ended. */
export async function revokeToken(tx: Tx, token: Pick<Claims, 'org' | 'token_id'>, by: Ender, now: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('auth_token')
    .set({ revoked_at: now, revoke_reason: by.reason ?? '' })
    .where('token_id', '=', token.token_id)
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await writeTokenAudit(tx, by.op, token, by, now)
  return true
}

export async function hasTokens(db: Queryable): Promise<boolean> {
  return (await db.selectFrom('auth_token').select('token_id').limit(1).executeTakeFirst()) !== undefined
}

export async function tokenById(db: Queryable, tokenId: string): Promise<TokenRow | null> {
  return (await db.selectFrom('auth_token').selectAll().where('token_id', '=', tokenId).executeTakeFirst()) ?? null
}

/** The org of a device, by the tokens that it had. */
export async function orgOfDevice(db: Queryable, deviceId: string): Promise<string | null> {
  const row = await db.selectFrom('auth_token').select('org').where('device_id', '=', deviceId).limit(1).executeTakeFirst()
  return row?.org ?? null
}

/** Live flat org_admin tokens of an org, held until the transaction ends, so that two that go at once see each other. */
export async function lockOrgAdmins(tx: Tx, org: string, now: Date): Promise<string[]> {
  const { rows } = await sql<{ token_id: string }>`SELECT token_id FROM loom.auth_token
    WHERE org = ${org} AND grants->>'*' = 'org_admin' AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ${now})
    ORDER BY token_id FOR UPDATE`.execute(tx)
  return rows.map((row) => row.token_id)
}

/** Tokens of an org, newest first. */
export async function listTokens(
  db: Queryable,
  org: string,
  filter: {
    readonly seen: RawBuilder<boolean>
    readonly revoked: boolean
    readonly after: readonly string[] | null
    readonly limit: number
    readonly tokenId?: string
  },
): Promise<TokenRow[]> {
  const [at, id] = filter.after ?? []
  return db
    .selectFrom('auth_token')
    .selectAll()
    .where('org', '=', org)
    .where(filter.seen)
    .$if(filter.tokenId !== undefined, (query) => query.where('token_id', '=', filter.tokenId ?? ''))
    .$if(!filter.revoked, (query) => query.where('revoked_at', 'is', null))
    .$if(at !== undefined, (query) => query.where(sql<boolean>`(created_at, token_id) < (${at}::timestamptz, ${id})`))
    .orderBy('created_at', 'desc')
    .orderBy('token_id', 'desc')
    .limit(filter.limit)
    .execute()
}
