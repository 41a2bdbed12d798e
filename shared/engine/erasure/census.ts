import { sql } from 'kysely'
import type { EngineParts } from '../parts.ts'
import type { Counts } from './sagas.ts'
import type { Scope } from './scope.ts'
import type { StepName } from './store.ts'
import { storesOf } from './stores.ts'

export interface Census {
  /** Every store that was counted, zeros included. */
  readonly counts: Counts
  /** Those that are not empty. */
  readonly residue: Counts
  readonly total: number
  /** Stores that could not be counted. */
  readonly uncounted: readonly string[]
  /** Steps that those not empty belong to. */
  readonly steps: readonly StepName[]
}

/** Counts what is left of a scope in every store of the host, in one snapshot. */
export async function takeCensus(parts: EngineParts, scope: Scope): Promise<Census> {
  const counts: Record<string, number> = {}
  const uncounted: string[] = []
  const steps = new Set<StepName>()
  await parts.database.transaction(async (tx) => {
    await sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`.execute(tx)
    for (const store of storesOf(scope, parts.host)) {
      await sql`SAVEPOINT counting`.execute(tx)
      try {
        const left = await store.count(tx, scope, parts)
        counts[store.key] = (counts[store.key] ?? 0) + left
        if (left > 0) steps.add(store.step)
        await sql`RELEASE SAVEPOINT counting`.execute(tx)
      } catch (error) {
        await sql`ROLLBACK TO SAVEPOINT counting`.execute(tx)
        parts.log.error({ err: error, store: store.key, erasure_id: scope.erasureId }, 'a store could not be counted after an erasure')
        uncounted.push(store.key)
      }
    }
  })
  for (const key of uncounted) delete counts[key]
  const residue = Object.fromEntries(Object.entries(counts).filter(([, left]) => left > 0))
  const total = Object.values(residue).reduce((sum, left) => sum + left, 0)
  return { counts, residue, total, uncounted, steps: [...steps] }
}
