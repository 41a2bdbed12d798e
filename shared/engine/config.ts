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
  checkOutputs: false,
}
