import type { Logger } from 'pino'
import type { EngineEvent } from '../contract/events.ts'
import type { Clock, VersionClock } from './clock.ts'
import type { EngineConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { KeyedMutex } from './db/mutex.ts'
import type { Collapses } from './index/collapse.ts'
import type { HotIndex } from './index/types.ts'
import type { Models } from './ports.ts'
import type { EmbeddingCache } from './models/cached-embedder.ts'
import type { SettingsCache } from './settings-cache.ts'
import type { UsageBuffer } from './usage-buffer.ts'

/** What an engine is made of; handlers reach the world through it alone. */
export interface EngineParts {
  readonly host: 'desktop' | 'server'
  readonly mode: 'single' | 'multi'
  readonly config: EngineConfig
  readonly database: Database
  readonly models: Models
  readonly index: HotIndex
  readonly versions: VersionClock
  readonly clock: Clock
  readonly usage: UsageBuffer
  readonly settings: SettingsCache
  readonly embeddings: EmbeddingCache
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
  /** Rows that search shows as one with another. */
  readonly collapses: Collapses
}
