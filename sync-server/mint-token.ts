import type { Logger } from 'pino'
import { v7 } from 'uuid'
import type { Claims } from '../shared/contract/ops/engine/info.ts'
import type { Database } from '../shared/engine/db/database.ts'
import { createClosers } from '../shared/engine/host/closers.ts'
import { SERVER_ACTOR } from '../shared/engine/store/first-start.ts'
import { createPairCode, pairLink, type PairCode } from '../shared/engine/store/pair-codes.ts'
import { mintToken, type MintedToken } from '../shared/engine/store/tokens.ts'
import type { ServerConfig } from './config.ts'
import { openStore } from './open-store.ts'

export interface MintOptions {
  /** `*` for every org. */
  readonly org: string
  readonly role: 'org_admin' | 'platform_admin'
  readonly subject: string
  readonly kind: Claims['kind']
}

export interface PairOptions {
  /** Left out: LOOM_ORG. */
  readonly org?: string
  readonly subject: string
  readonly kind: Claims['kind']
  readonly grants: Claims['grants']
  readonly minutes: number
}

/** Opens the server's store, with the server's own settings, for as long as the work takes. */
async function onStore<T>(config: ServerConfig, logger: Logger, work: (database: Database) => Promise<T>): Promise<T> {
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  try {
    return await work(await openStore(config, closers))
  } finally {
    await closers.close()
  }
}

/**
 * Mints a token on the server's machine: for when the first one is lost.
 * @throws LoomError UNAVAILABLE while a server holds the data folder of a PGlite; on Postgres it may run.
 */
export function mintOnMachine(config: ServerConfig, options: MintOptions, logger: Logger): Promise<MintedToken> {
  const { org, role, subject, kind } = options
  const token = { org, subject, kind, grants: { '*': role }, note: 'loom server mint-token' }
  const by = { actor: SERVER_ACTOR, requestId: v7() }
  return onStore(config, logger, (database) => database.transaction((tx) => mintToken(tx, token, by, new Date())))
}

/**
 * Makes a pairing code on the server's machine.
 * @throws LoomError UNAVAILABLE as `mintOnMachine`.
 */
export async function pairOnMachine(config: ServerConfig, options: PairOptions, logger: Logger): Promise<PairCode & { link: string }> {
  const { org = config.org, subject, kind, grants, minutes } = options
  const holder = { org, subject, kind, grants, user_id: '', own_session: false, session_id: '' }
  const by = { actor: SERVER_ACTOR, requestId: v7() }
  const made = await onStore(config, logger, (database) =>
    database.transaction((tx) => createPairCode(tx, holder, minutes, by, new Date())),
  )
  return { ...made, link: pairLink(config.publicUrl ?? `http://localhost:${config.port}`, made.code) }
}
