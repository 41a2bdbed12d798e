import type { Tx } from '../db/database.ts'

/** A row by its identity and key. */
interface Place {
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
  readonly memory_key: string
}

/**
 * What a transaction that settles a pushed change tells of its writes. What runs in it is the operation as any caller
 * runs it; where its rows come from is known here alone.
 */
export interface Provenance {
  readonly changeId: string
  readonly deviceId: string
  /** When the device made it, by its own clock. */
  readonly madeAt: Date
  /** The same, never later than the server's now: orders values that did not know of each other. */
  readonly saidAt: Date
  /** The org's number when the transaction began. */
  readonly erasureSeq: bigint
  /** Id for a row that is made anew. */
  readonly newId: string | null
  /** The value takes the head from one that its device had not seen: both stand until somebody settles it. */
  readonly isContested: boolean
  /** Rows that the change itself names; what else it changes is a side effect of the server. */
  isOwn(row: Place): boolean
}

const TOLD = new WeakMap<Tx, Provenance>()

/** Null: the writes of this transaction were asked for by a call to this host. */
export const provenanceOf = (tx: Tx): Provenance | null => TOLD.get(tx) ?? null

export function tellProvenance(tx: Tx, provenance: Provenance): void {
  TOLD.set(tx, provenance)
}

/** When a row of the transaction was written, where it was made. */
export function madeAt(tx: Tx, row: Place, now: Date): Date {
  const told = provenanceOf(tx)
  return told?.isOwn(row) ? told.madeAt : now
}
