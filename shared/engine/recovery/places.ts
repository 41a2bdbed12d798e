/** Where the parts of a desktop's data lie, absolute. */
export interface Places {
  readonly dataDir: string
  /** Originals of documents. */
  readonly objects: string
  readonly backups: string
  /** An empty, migrated database to copy, where one was made. */
  readonly snapshot: string
}
