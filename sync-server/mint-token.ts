import type { Logger } from 'pino'
import { v7 } from 'uuid'
import type { Claims } from '../shared/contract/ops/engine/info.ts'
import { createClosers } from '../shared/engine/host/closers.ts'
import { mintToken, type MintedToken, SERVER_ACTOR } from '../shared/engine/store/tokens.ts'
import type { ServerConfig } from './config.ts'
import { openStore } from './open-store.ts'

export interface MintOptions {
  /** `*` for every org. */
  readonly org: string
  readonly role: 'org_admin' | 'platform_admin'
  readonly subject: string
  readonly kind: Claims['kind']
}

/**
 * Mints a token on the server's machine, with the server's own settings: for when the first one is lost.
 * @throws LoomError UNAVAILABLE while a server holds the data folder of a PGlite; on Postgres it may run.
 */
export async function mintOnMachine(config: ServerConfig, options: MintOptions, logger: Logger): Promise<MintedToken> {
  const { org, role, subject, kind } = options
  const closers = createClosers((error) => logger.error({ err: error }, 'closing failed'))
  try {
    const database = await openStore(config, closers)
    const token = { org, subject, kind, grants: { '*': role }, note: 'loom server mint-token' }
    return await database.transaction((tx) => mintToken(tx, token, { actor: SERVER_ACTOR, requestId: v7() }, new Date()))
  } finally {
    await closers.close()
  }
}
