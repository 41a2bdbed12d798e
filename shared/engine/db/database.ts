import type { Kysely, Transaction } from 'kysely'
import type { CopyRows } from './copy-rows.ts'
import type { Tables } from './tables.ts'

/** A handle that reads. Handlers of reads get one; nothing in a transaction may use it (PGlite has one connection). */
export type Reader = Kysely<Tables>
/** The handle of one transaction: the only thing that a write may query. */
export type Tx = Transaction<Tables>
/** Where a query runs does not matter to it. */
export type Queryable = Reader | Tx

/** The store of a host, on PGlite or Postgres. */
export interface Database extends AsyncDisposable {
  readonly kind: 'pglite' | 'postgres'
  /** Folder of PGlite; for Postgres its address without password. */
  readonly location: string
  /** A commit reached the disk, measured at open. */
  readonly durable: boolean
  readonly reader: Reader
  /** Rises with every statement that may have changed a row: what was read since it last did still holds. Null where other processes write too. */
  writes(): number | null
  /** Runs `work` in one transaction; a throw rolls back. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Puts many rows into a table at once; null where the store has no such way. */
  readonly copyRows: CopyRows | null
  /** Size of the whole store in bytes. */
  bytes(): Promise<number>
  close(): Promise<void>
}
