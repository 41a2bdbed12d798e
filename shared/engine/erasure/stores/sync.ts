import { sql } from 'kysely'
import { countShapeLogs } from '../../shapes/erase.ts'
import { before, inNamespace, isTarget, isTargetKey, ofOrg, placed, type Condition, type Scope } from '../scope.ts'
import { rows, type Store } from '../store.ts'

/** What followers are told (server), and what a desktop keeps of its team: queue, inbox, rows under local changes. */

/** Changes and lines of the scope; of a collection those about its documents. */
function mine(scope: Scope): Condition {
  const ofCollection =
    scope.collection === ''
      ? sql`true`
      : sql`(t.op LIKE 'knowledge.%' AND coalesce(nullif(t.args, '')::jsonb ->> 'collection', 'default') = ${scope.collection})`
  return sql<boolean>`(${placed('t', scope)} AND ${before('t', scope)} AND ${ofCollection})`
}

/** A row kept as JSON, by what it says of itself. */
function rowIn(scope: Scope): Condition {
  const of = (column: string) => sql`(t."row" ->> ${sql.lit(column)})`
  const ofNamespace = scope.namespaces === null ? sql`true` : sql`${of('namespace')} = any(${[...scope.namespaces]}::text[])`
  const ofUser = scope.userId === '' ? sql`true` : sql`${of('user_id')} = ${scope.userId}`
  const ofCollection = scope.collection === '' ? sql`true` : sql`${of('collection')} = ${scope.collection}`
  return sql<boolean>`(${of('namespace')} IS NOT NULL AND ${ofNamespace} AND ${ofUser} AND ${ofCollection} AND coalesce(${of('erasure_seq')}::int8, 0) < ${scope.seq})`
}

/** Of a run: a key among those that it names is erased. */
const namesGone = (scope: Scope): Condition => sql<boolean>`(t.relation = 'run' AND EXISTS (SELECT 1
  FROM jsonb_array_elements_text((t."row" -> 'memories_used') || (t."row" -> 'recalled_keys')) AS k(key)
  WHERE ${isTargetKey(scope, sql`(t."row" ->> 'namespace')`, sql`k.key`)}))`

/** Server's rows under local changes: those of the scope, and what hangs on a row that went. */
const bases = (scope: Scope): Condition => {
  const part = (at: number) => isTarget(scope, sql`split_part(t.row_key, chr(31), ${sql.lit(at)})`)
  return sql<boolean>`(${ofOrg('t', scope)} AND (${rowIn(scope)} OR ${part(1)} OR ${part(2)} OR ${part(3)} OR ${namesGone(scope)}))`
}

const staged = (scope: Scope): Condition =>
  sql<boolean>`(${ofOrg('t', scope)} AND t.shape <> 'erasures' AND (${rowIn(scope)} OR ${isTarget(scope, sql`(t."row" ->> 'memory_id')`)}))`

/** The inbox line that tells of an erasure names no namespace, and so is of no scope. */
const items = (scope: Scope): Condition => sql<boolean>`(${mine(scope)} AND ${inNamespace('t', scope)} AND t.namespace <> '')`

/** One of the two logs: emptied together, when the rows themselves are gone. */
const log = (table: 'change_log' | 'shape_log'): Store => ({
  ...rows('delete.sync', table, () => sql<boolean>`false`, { host: 'server' }),
  async count(db, { org, namespaces, userId, seq }) {
    return (await countShapeLogs(db, { org, namespaces, user_id: userId }, seq))[table]
  },
  // Handles end and the log moves in transactions of their own: step delete.sync ends them.
  erase: () => Promise.resolve(0),
})

export const SYNC_STORES: readonly Store[] = [
  log('change_log'),
  log('shape_log'),
  rows('delete.sync', 'sync_outbox', mine, { host: 'desktop', collections: true }),
  rows('delete.sync', 'sync_inbox', items, { host: 'desktop', collections: true }),
  rows('delete.sync', 'sync_base', bases, { host: 'desktop', collections: true }),
  rows('delete.sync', 'shape_staging', staged, { host: 'desktop', collections: true }),
]
