import type { Logger } from 'pino'
import type { LastUsed } from './access/last-used.ts'
import type { RateLimits } from './access/rate-limits.ts'
import type { EngineEvent } from '../contract/events.ts'
import type { Clock, VersionClock } from './clock.ts'
import type { EngineConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { KeyedMutex } from './db/mutex.ts'
import type { OpName } from '../contract/registry.ts'
import type { Handler } from './handler.ts'
import type { Ledger } from './ledger.ts'
import type { Collapses } from './index/collapse.ts'
import type { IndexFollower } from './index-follower.ts'
import type { HotIndex } from './index/types.ts'
import type { Models } from './ports.ts'
import type { EmbeddingCache } from './models/cached-embedder.ts'
import type { SettingsCache } from './settings-cache.ts'
import type { DesktopSync } from './sync/desktop/port.ts'
import type { UsageBuffer } from './usage-buffer.ts'
import type { Unembedded } from './write/unembedded.ts'
import type { Webhooks } from './webhooks/webhooks.ts'

/** What an engine is made of; handlers reach the world through it alone. */
export interface EngineParts {
  readonly host: 'desktop' | 'server'
  readonly mode: 'single' | 'multi'
  readonly config: EngineConfig
  readonly database: Database
  readonly models: Models
  readonly index: HotIndex
  /** Brings the index level with other processes on the same store, before it is read. */
  readonly follower: IndexFollower
  readonly versions: VersionClock
  readonly clock: Clock
  readonly usage: UsageBuffer
  readonly ledger: Ledger
  readonly rates: RateLimits
  readonly lastUsed: LastUsed
  readonly settings: SettingsCache
  readonly embeddings: EmbeddingCache
  readonly unembedded: Unembedded
  readonly log: Logger
  readonly startedAt: Date
  /** Vectors of another model, or none, wait to be made; search says so. */
  readonly reindexing: () => boolean
  /** Tells windows and watchers of a commit; calls deliver theirs through their context. */
  readonly publish: (event: EngineEvent) => void
  /** Has a background pass run at the next look. */
  readonly wake: (job: string) => void
  /** Held from judging to after the commit, by the name `<org>/<namespace>`: writes of one process see each other. */
  readonly exclusive: KeyedMutex
  /** Aborted when the engine closes: long work ends where it can be taken up again. */
  readonly stopping: AbortSignal
  /** How an operation works: what a device did offline runs as any caller's. */
  readonly handlerOf: (op: OpName) => Handler
  /** Rows that search shows as one with another. */
  readonly collapses: Collapses
  /** Team sync of a desktop; a server has none. */
  readonly sync: DesktopSync | null
  /** Change webhooks of a server; a desktop has none. */
  readonly webhooks: Webhooks | null
}
