/** What a scrub did. */
export interface ScrubReport {
  /** Tables rewritten (PGlite, or Postgres in full) or vacuumed. */
  readonly tables: number
  /** Size of the database before and after, in bytes. */
  readonly bytesBefore: number
  readonly bytesAfter: number
  /** Files that belonged to no table: a process killed while it rewrote one left them. */
  readonly orphans: number
}

export interface ScrubOptions {
  /** Called before each table, so that a saga renews its lease; a throw ends the scrub, which may be repeated. */
  readonly onTable?: (table: string) => void | Promise<void>
}
