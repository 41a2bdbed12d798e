import { sql } from 'kysely'
import { v7 } from 'uuid'
import type { Role } from '../../contract/common.ts'
import type { Database } from '../db/database.ts'
import { createPairCode, type PairCode } from './pair-codes.ts'
import { hasTokens, mintToken, type MintedToken } from './tokens.ts'

/** Any number; the same in every process, so that two first starts take turns. */
const FIRST_TOKEN_LOCK = 7_208_132n

/** The subject of what a host itself does on its machine. */
export const SERVER_ACTOR = 'process:loom-server'
export const DESKTOP_ACTOR = 'process:loom-desktop'

/** How long the pairing link of a first start holds; `loom server pair` makes others. */
const FIRST_LINK_MINUTES = 24 * 60

export interface FirstAccess extends MintedToken {
  /** By which the first desktop is paired; null on a desktop. */
  readonly code: PairCode | null
}

async function mintFirst(database: Database, org: string, role: Role, actor: string, now: Date): Promise<FirstAccess | null> {
  return database.transaction(async (tx) => {
    await sql`SELECT pg_advisory_xact_lock(${FIRST_TOKEN_LOCK})`.execute(tx)
    if (await hasTokens(tx)) return null
    const by = { actor, requestId: v7() }
    const admin = { org, subject: 'admin', kind: 'human', grants: { '*': role } } as const
    const minted = await mintToken(tx, { ...admin, note: 'first start' }, by, now)
    if (org === 'dev') return { ...minted, code: null }
    const holder = { ...admin, user_id: '', own_session: false, session_id: '' }
    return { ...minted, code: await createPairCode(tx, holder, FIRST_LINK_MINUTES, by, now) }
  })
}

/** The first token and pairing code of a server that has no token: its org's admin, never expiring. Null where there is one already. */
export function mintFirstToken(database: Database, org: string, now: Date): Promise<FirstAccess | null> {
  return mintFirst(database, org, 'org_admin', SERVER_ACTOR, now)
}

/** The first token of a desktop in multi mode: a platform admin of its own org. Null where there is one already. */
export function mintDesktopToken(database: Database, now: Date): Promise<FirstAccess | null> {
  return mintFirst(database, 'dev', 'platform_admin', DESKTOP_ACTOR, now)
}
