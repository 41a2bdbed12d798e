import { sql } from 'kysely'
import type { Logger } from 'pino'
import type { Claims } from '../../contract/ops/engine/info.ts'
import type { Database } from '../db/database.ts'

/** When tokens and devices were last seen, gathered in memory and written together: a call never waits for it. */
export interface LastUsed {
  seen(claims: Claims, at: Date): void
  flush(): Promise<void>
  close(): Promise<void>
}

const FLUSH_AFTER_MS = 1000
const MINUTE_MS = 60_000
/** Tokens whose last minute is remembered; past it all are written anew. */
const MOST_REMEMBERED = 10_000

interface Seen {
  readonly org: string
  readonly deviceId: string
  readonly at: Date
}

/** Notes each token once a minute. */
export function createLastUsed(database: Database, log: Logger): LastUsed {
  const minutes = new Map<string, number>()
  let waiting = new Map<string, Seen>()
  let timer: NodeJS.Timeout | null = null
  let running: Promise<void> = Promise.resolve()

  async function write(batch: ReadonlyMap<string, Seen>): Promise<void> {
    await database.transaction(async (tx) => {
      // One order for all processes: two that write the same tokens never wait for each other in a circle.
      for (const [tokenId, { org, deviceId, at }] of [...batch].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const minute = new Date(Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS)
        await sql`UPDATE loom.auth_token SET last_used_at = ${minute}
          WHERE token_id = ${tokenId} AND (last_used_at IS NULL OR last_used_at < ${minute})`.execute(tx)
        if (deviceId === '') continue
        await sql`UPDATE loom.device SET last_seen_at = ${at}
          WHERE org = ${org} AND device_id = ${deviceId} AND (last_seen_at IS NULL OR last_seen_at < ${at})`.execute(tx)
      }
    })
  }

  function flush(): Promise<void> {
    if (timer) clearTimeout(timer)
    timer = null
    const batch = waiting
    waiting = new Map()
    if (batch.size > 0)
      running = running.then(() => write(batch)).catch((err: unknown) => log.warn({ err }, 'last use of tokens was not written'))
    return running
  }

  return {
    seen({ token_id, org, device_id }, at) {
      const minute = Math.floor(at.getTime() / MINUTE_MS)
      if (token_id === '' || minutes.get(token_id) === minute) return
      if (minutes.size >= MOST_REMEMBERED) minutes.clear()
      minutes.set(token_id, minute)
      waiting.set(token_id, { org, deviceId: device_id, at })
      timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS).unref()
    },
    flush,
    close: flush,
  }
}
