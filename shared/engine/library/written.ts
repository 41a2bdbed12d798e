import type { Tx } from '../db/database.ts'
import type { Identity } from '../identity.ts'

/** The document or thread that a transaction wrote, as it was before: what the server is asked to find when the write is replayed there. */
export interface Written {
  readonly identity: Identity
  /** Of the bytes that the document had; "" for none. */
  readonly sha256: string
}

const TOLD = new WeakMap<Tx, Written>()

export function tellWritten(tx: Tx, { org, namespace, agent, user_id, session_id }: Identity, sha256 = ''): void {
  TOLD.set(tx, { identity: { org, namespace, agent, user_id, session_id }, sha256 })
}

export const writtenIn = (tx: Tx): Written | null => TOLD.get(tx) ?? null
