import type { Logger } from 'pino'
import type { LastUsed } from './access/last-used.ts'
import type { RateLimits } from './access/rate-limits.ts'
import type { EngineEvent } from '../contract/events.ts'
import type { Clock, VersionClock } from './clock.ts'
import type { EngineConfig } from './config.ts'
import type { Database } from './db/database.ts'
import type { KeyedMutex } from './db/mutex.ts'
import type { OpName } from '../contract/registry.ts'
import type { DocumentReader } from './documents/reader.ts'
import type { Handler } from './handler.ts'
import type { Erasures } from './erasure/erasures.ts'
import type { ExternalEraser } from './erasure/external/eraser.ts'
import type { Numbers } from './erasure/numbers.ts'
import type { Ledger } from './ledger.ts'
import type { Collapses } from './index/collapse.ts'
import type { IndexFollower } from './index-follower.ts'
import type { HotIndex } from './index/types.ts'
import type { IndexFill } from './index-fill.ts'
import type { LanguageModel } from './llm/port.ts'
import type { Library } from './library/library.ts'
import type { ObjectStore } from './objects/object-store.ts'
import type { Models } from './ports.ts'
import type { EmbeddingCache } from './models/cached-embedder.ts'
import type { Shapes } from './shapes/shapes.ts'
import type { SettingsCache } from './settings-cache.ts'
import type { Backups } from './backup/port.ts'
import type { DesktopSettings } from './desktop-settings/settings.ts'
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
  /** Null: none is set, and what would ask one falls back. */
  readonly llm: LanguageModel | null
  readonly index: HotIndex
  /** How far the index is filled. */
  readonly fill: IndexFill
  /** Brings the index level with other processes on the same store, before it is read. */
  readonly follower: IndexFollower
  readonly versions: VersionClock
  readonly clock: Clock
  /** Reads files into text and chunks. */
  readonly documents: DocumentReader
  /** Original bytes of documents. */
  readonly objects: ObjectStore
  /** Search over documents and saved conversations. */
  readonly library: Library
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
  /** Places `<org>/<namespace>` whose rows are being indexed anew. */
  readonly rebuilding: Set<string>
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
  /** The number that what is written carries, by which erasures tell what they cover. */
  readonly numbers: Numbers
  /** Sagas of this host. */
  readonly erasures: Erasures
  /** Places outside Loom that an erasure reaches too. */
  readonly externalErasers: readonly ExternalEraser[]
  /** Of a server that serves shapes. */
  readonly shapes: Pick<Shapes, 'erase'> | null
  /** The person's own settings; a server has none. */
  readonly desktopSettings: DesktopSettings | null
  /** The ring of backups of a PGlite in a data folder; null for any other store. */
  readonly backups: Backups | null
  /** Team sync of a desktop; a server has none. */
  readonly sync: DesktopSync | null
  /** Change webhooks of a server; a desktop has none. */
  readonly webhooks: Webhooks | null
}
