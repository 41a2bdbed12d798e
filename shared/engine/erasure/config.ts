/** Settings of erasures. */
export interface ErasureConfig {
  /** Seconds that erasure.request waits for its saga; 0 answers at once. */
  readonly waitSeconds: number
  /** Attempts of a saga, the first included. */
  readonly maxAttempts: number
  /** Bytes of text that the conversations of one export hold, the message that crosses it included whole. */
  readonly exportConversationMaxBytes: number
  /** A purge on Postgres rewrites the tables under a lock, in place of a plain VACUUM. */
  readonly vacuumFull: boolean
}

export const DEFAULT_ERASURE: ErasureConfig = {
  waitSeconds: 20,
  maxAttempts: 5,
  exportConversationMaxBytes: 8_388_608,
  vacuumFull: false,
}
