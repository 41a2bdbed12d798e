import { sql } from 'kysely'
import { LoomError, isLoomError } from '../../contract/errors.ts'
import type { Database, Queryable, Tx } from '../db/database.ts'

/** The erasure number of each org: what was made under a smaller one than a fence's is covered by that fence. */
export interface Numbers {
  /** As this process last saw it: never above what stands. */
  known(org: string): bigint
  /**
   * Begins a write on an org: rows made in the transaction from here on carry the number that it answers, and no fence
   * of the org is raised until the transaction ends.
   */
  enter(tx: Tx, org: string): Promise<bigint>
  /** Rows made in the transaction from here on carry this number: that of the row that they are made from, or of a new fence. */
  stamp(tx: Tx, number: bigint): Promise<void>
  /** A fence of this number was committed by this process. */
  raised(org: string, number: bigint): void
}

const ENTERED = new WeakMap<Tx, bigint>()

/** The number that content said in this transaction carries. */
export const numberIn = (tx: Tx): bigint => ENTERED.get(tx) ?? 0n

export async function createNumbers(database: Database): Promise<Numbers> {
  const { rows } = await sql<{ org: string; erasure_seq: bigint }>`SELECT org, erasure_seq FROM loom.org WHERE erasure_seq > 0`.execute(
    database.reader,
  )
  const known = new Map(rows.map((row) => [row.org, row.erasure_seq]))
  const raised = (org: string, number: bigint): void => {
    if (number > (known.get(org) ?? 0n)) known.set(org, number)
  }

  async function stamp(tx: Tx, number: bigint): Promise<void> {
    await sql`SELECT set_config('loom.erasure_number', ${number.toString()}, true)`.execute(tx)
    ENTERED.set(tx, number)
  }

  async function asked(tx: Tx, org: string): Promise<bigint> {
    // A PGlite has this process alone, and one connection, which is lock enough.
    if (database.kind === 'pglite') {
      const number = known.get(org) ?? 0n
      if (number > 0n) await stamp(tx, number)
      return number
    }
    const { rows: entered } = await sql<{ number: bigint }>`SELECT loom.enter_write(${org}) AS number`.execute(tx)
    return entered[0]?.number ?? 0n
  }

  return {
    known: (org) => known.get(org) ?? 0n,
    async enter(tx, org) {
      const number = await asked(tx, org)
      raised(org, number)
      ENTERED.set(tx, number)
      return number
    },
    stamp,
    raised,
  }
}

/** Whether a fence that reaches a namespace (empty: any) was raised above `since`. */
export async function isFencedSince(
  db: Queryable,
  { org, namespace }: { readonly org: string; readonly namespace: string },
  since: bigint,
): Promise<boolean> {
  const { rows } = await sql<{ fenced: boolean }>`SELECT EXISTS (SELECT 1 FROM loom.erasure_fence f
    WHERE f.org = ${org} AND f.seq > ${since} AND (${namespace} = '' OR f.namespace IN ('*', ${namespace}))) AS fenced`.execute(db)
  return rows[0]?.fenced === true
}

/** What a call has read, judged or been told before an erasure must not be written after it. */
export function fencedMeanwhile(): LoomError {
  return new LoomError('UNAVAILABLE', 'An erasure began while the call was being prepared, so nothing was written. Send it again.', {
    retry_after_s: 1,
    fenced: true,
  })
}

export const isFencedMeanwhile = (error: unknown): boolean => isLoomError(error) && error.fields['fenced'] === true
