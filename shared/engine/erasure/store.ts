import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import type { Condition, Scope } from './scope.ts'

/** Rows of one transaction of a step. */
export const BATCH = 5000

export const STEPS = [
  'fence.scope',
  'delete.outbox',
  'delete.memory',
  'delete.embeddings',
  'delete.relations',
  'delete.records',
  'delete.knowledge',
  'delete.blobs',
  'delete.conversations',
  'delete.working_memory',
  'delete.runs',
  'delete.snapshots',
  'delete.sync',
  'delete.tokens',
  'scrub.audit',
  'clear.caches',
  'external.erasers',
  'purge.vacuum',
  'verify.residue',
] as const
export type StepName = (typeof STEPS)[number]

/** One place that can hold what a person said, with how it is emptied and how what is left is counted. */
export interface Store {
  /** Its name in a census, such as `pg:memory`. */
  readonly key: string
  readonly step: StepName
  /** Tables that it answers for, without their schema. */
  readonly tables: readonly string[]
  /** The only kind of host that has rows of it; left out: both. */
  readonly host?: 'server' | 'desktop'
  /** What it takes out are names in rows that stay: no rows of the saga's count. */
  readonly isQuiet?: true
  /** False: a scope of this kind leaves it alone, and its census does not name it. */
  covers?(scope: Scope): boolean
  /** How much of the scope is left. */
  count(db: Queryable, scope: Scope, parts: EngineParts): Promise<number>
  /** Takes the next batch, and answers how many rows that were: fewer than BATCH when nothing is left. */
  erase(tx: Tx, scope: Scope, parts: EngineParts): Promise<number>
}

interface RowsOptions {
  readonly host?: 'server' | 'desktop'
  /** Without purge its rows are stamped and stay. */
  readonly stamped?: true
  readonly covers?: (scope: Scope) => boolean
  /** Of a collection's erasure too. */
  readonly collections?: true
}

const ofMemory = (scope: Scope): boolean => scope.collection === ''

/** A table whose rows go, or are stamped, where `which` holds of its alias `t`. */
export function rows(step: StepName, table: string, which: (scope: Scope) => Condition, options: RowsOptions = {}): Store {
  const { host, stamped, covers = () => true, collections } = options
  const name = sql.table(`loom.${table}`)
  return {
    key: `pg:${table}`,
    step,
    tables: [table],
    ...(host && { host }),
    covers: (scope) => (collections === true || ofMemory(scope)) && covers(scope),
    async count(db, scope) {
      const { rows: counted } = await sql<{ left: number }>`SELECT count(*)::int AS left FROM ${name} t WHERE ${which(scope)}`.execute(db)
      return counted[0]?.left ?? 0
    },
    async erase(tx, scope, parts) {
      const batch = sql`t.ctid = ANY(ARRAY(SELECT t.ctid FROM ${name} t WHERE ${which(scope)} LIMIT ${BATCH}))`
      const done =
        stamped && !scope.purge
          ? await sql`UPDATE ${name} t SET tombstoned_at = coalesce(t.tombstoned_at, ${new Date(parts.clock())}), erased_by = ${scope.erasureId}
              WHERE ${batch}`.execute(tx)
          : await sql`DELETE FROM ${name} t WHERE ${batch}`.execute(tx)
      return Number(done.numAffectedRows ?? 0n)
    },
  }
}
