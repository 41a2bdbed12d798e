import { DEFAULT_RATES, type Rates } from './access/rate-limits.ts'
import { DEFAULT_ERASURE, type ErasureConfig } from './erasure/config.ts'
import type { ModelService } from './llm/port.ts'
import { DEFAULT_WEBHOOKS, type WebhookConfig } from './webhooks/config.ts'

/** Settings of an engine, read from the environment by its host (see the settings reference). */
export interface EngineConfig {
  /** Largest request body in bytes. */
  readonly maxRequestBytes: number
  /** Stored characters past which a value earns the advisory `oversized`; 0 = never. */
  readonly valueAdvisoryChars: number
  /** Detect a sensitivity where none is given. */
  readonly sensitivityAutodetect: boolean
  /** Words of the key take part in the ranking of search. */
  readonly searchKeyMatch: boolean
  /** Under this confidence a finding of the judge is unsure: it retires and refuses nothing. 0..1 */
  readonly verdictMinConfidence: number
  /** Entries of one memory.bulk_set that get a verdict. 0..1000 */
  readonly bulkConflictChecks: number
  /** Days that audit rows are kept, whole seals at a time; 0 = for ever. */
  readonly auditRetentionDays: number
  /** Negative outcomes in a row, with no positive one between, that quarantine a row. */
  readonly quarantineNegatives: number
  /** The language model that extraction asks; null: none is set. */
  readonly llm: ModelService | null
  /** Extraction links a changed value to the one that it updates. */
  readonly extractValueUpdates: boolean
  /** The consolidation worker runs. */
  readonly consolidateEnabled: boolean
  /** Calls a minute, for each token and class, in multi mode; 0 = no limit. */
  readonly rates: Rates
  /** Address by which others know this host, for pairing links. */
  readonly publicUrl: string
  readonly erasure: ErasureConfig
  /** Of a server; a desktop has no webhooks. */
  readonly webhooks: WebhookConfig
  /** Check every answer against its contract; on in tests. */
  readonly checkOutputs: boolean
}

export const DEFAULT_CONFIG: EngineConfig = {
  maxRequestBytes: 33_554_432,
  valueAdvisoryChars: 30_000,
  sensitivityAutodetect: true,
  searchKeyMatch: true,
  verdictMinConfidence: 0.6,
  bulkConflictChecks: 200,
  auditRetentionDays: 0,
  quarantineNegatives: 3,
  llm: null,
  extractValueUpdates: false,
  consolidateEnabled: false,
  rates: DEFAULT_RATES,
  publicUrl: 'http://localhost:7788',
  erasure: DEFAULT_ERASURE,
  webhooks: DEFAULT_WEBHOOKS,
  checkOutputs: false,
}
