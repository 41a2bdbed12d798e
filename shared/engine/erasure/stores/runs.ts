import { sql } from 'kysely'
import { before, inNamespace, isTargetKey, ofOrg, placed, type Condition, type Scope } from '../scope.ts'
import { BATCH, rows, type Store } from '../store.ts'

/** Runs with the requests that made them, scratch values, leases and snapshots. */

const mine = (scope: Scope): Condition => sql<boolean>`(${placed('t', scope)} AND ${before('t', scope)})`
const everybody = ({ userId }: Scope): boolean => userId === ''

/** Keys that this saga took and that no row of the namespace holds any more. */
const gone = (scope: Scope, key: string): Condition => isTargetKey(scope, sql`t.namespace`, sql.ref(key))

/** Takes erased keys out of the lists of runs and requests of others. */
function named(table: 'run' | 'run_event', columns: readonly string[]): Store {
  const name = sql.table(`loom.${table}`)
  const some = (scope: Scope): Condition => sql<boolean>`(${ofOrg('t', scope)} AND ${inNamespace('t', scope)} AND EXISTS (SELECT 1
    FROM unnest(${sql.join(
      columns.map((column) => sql.ref(`t.${column}`)),
      sql` || `,
    )}) AS k(key) WHERE ${gone(scope, 'k.key')}))`
  const store = rows('delete.runs', table, some)
  return {
    ...store,
    isQuiet: true,
    async erase(tx, scope) {
      const kept = columns.map(
        (column) => sql`${sql.ref(column)} = ARRAY(SELECT k.key FROM unnest(${sql.ref(`t.${column}`)}) WITH ORDINALITY AS k(key, place)
          WHERE NOT ${gone(scope, 'k.key')} ORDER BY k.place)`,
      )
      const done = await sql`UPDATE ${name} t SET ${sql.join(kept)}
        WHERE t.ctid = ANY(ARRAY(SELECT t.ctid FROM ${name} t WHERE ${some(scope)} LIMIT ${BATCH}))`.execute(tx)
      return Number(done.numAffectedRows ?? 0n)
    },
  }
}

export const RUN_STORES: readonly Store[] = [
  rows('delete.working_memory', 'working_memory', mine),
  rows('delete.working_memory', 'working_lease', mine, { covers: everybody }),
  rows('delete.runs', 'run', mine),
  rows('delete.runs', 'run_event', mine),
  named('run', ['memories_used', 'recalled_keys']),
  named('run_event', ['memory_keys']),
  rows('delete.snapshots', 'namespace_snapshot', mine, { covers: everybody }),
]
