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
  /** Check every answer against its contract; on in tests. */
  readonly checkOutputs: boolean
}

export const DEFAULT_CONFIG: EngineConfig = {
  maxRequestBytes: 33_554_432,
  valueAdvisoryChars: 30_000,
  sensitivityAutodetect: true,
  searchKeyMatch: true,
  verdictMinConfidence: 0.6,
  checkOutputs: false,
}
