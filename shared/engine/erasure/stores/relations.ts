import { sql } from 'kysely'
import { attached, before, inNamespace, keyUnheld, ofOrg, type Condition, type Scope } from '../scope.ts'
import { rows, type Store } from '../store.ts'

/** What hangs on memories by their ids, and on keys by their names. */

const eitherEnd = (scope: Scope, one: string, other: string, keeps: boolean): Condition =>
  sql<boolean>`(${attached('t', one, scope, keeps)} OR ${attached('t', other, scope, keeps)})`

/** A category belongs to the key: it goes with the last row that holds it, and with its namespace. */
const categories = (scope: Scope): Condition => sql<boolean>`(${ofOrg('t', scope)} AND ${inNamespace('t', scope)} AND ${before('t', scope)}
  AND ${scope.userId === '' ? sql`true` : keyUnheld(scope, sql`t.namespace`, sql`t.memory_key`)})`

export const RELATION_STORES: readonly Store[] = [
  rows('delete.relations', 'memory_link', (scope) => eitherEnd(scope, 'from_id', 'to_id', true), { stamped: true }),
  rows('delete.relations', 'memory_category', categories),
  rows('delete.relations', 'memory_relation', (scope) => attached('t', 'memory_id', scope, false)),
  rows('delete.relations', 'memory_pair', (scope) => eitherEnd(scope, 'row_id', 'peer_id', false)),
  rows('delete.relations', 'learning_review', (scope) => attached('t', 'memory_id', scope, false)),
]
