import { sql, type RawBuilder } from 'kysely'

/** What one saga covers: rows of an org's namespaces and user, made under a smaller number than its fence. */
export interface Scope {
  readonly org: string
  readonly seq: bigint
  readonly erasureId: string
  /** Null: every namespace of the org. */
  readonly namespaces: readonly string[] | null
  /** "": everybody. */
  readonly userId: string
  /** "": everything; else the documents of one collection alone. */
  readonly collection: string
  readonly purge: boolean
  /** The store holds a part of the org: what hangs on a row that is not here may be alive elsewhere. */
  readonly isPartial?: boolean
  /** When the bytes went: backups made before it must be gone. */
  readonly purgedAt?: Date | null
}

export type Condition = RawBuilder<boolean>

/** Begins `erased_by` of rows that the fence has hidden and no step has come to yet. */
export const PENDING = 'pending:'

/** All conditions are over an alias of a table. */
const ref = (alias: string, column: string): RawBuilder<unknown> => sql.ref(`${alias}.${column}`)

export const ofOrg = (t: string, { org }: Scope): Condition => sql<boolean>`${ref(t, 'org')} = ${org}`

/** In a namespace of the scope; `column` names it. */
export function inNamespace(t: string, { namespaces }: Scope, column = 'namespace'): Condition {
  if (namespaces === null) return sql<boolean>`true`
  return sql<boolean>`${ref(t, column)} = any(${[...namespaces]}::text[])`
}

/** In a namespace and of the user of the scope. */
export function placed(t: string, scope: Scope): Condition {
  const ofUser = scope.userId === '' ? sql`true` : sql`${ref(t, 'user_id')} = ${scope.userId}`
  return sql<boolean>`(${ofOrg(t, scope)} AND ${inNamespace(t, scope)} AND ${ofUser})`
}

/** Made before the fence. */
export const before = (t: string, { seq }: Scope): Condition => sql<boolean>`${ref(t, 'erasure_seq')} < ${seq}`

/** Not stamped yet; under purge stamped rows go as well. */
export function unstamped(t: string, { purge }: Scope): Condition {
  if (purge) return sql<boolean>`true`
  return sql<boolean>`(${ref(t, 'erased_by')} = '' OR ${ref(t, 'erased_by')} LIKE ${`${PENDING}%`})`
}

/** A memory that this saga took away, while it is known. */
export const isTarget = (scope: Scope, id: RawBuilder<unknown>): Condition =>
  sql<boolean>`EXISTS (SELECT 1 FROM loom.erasure_target x WHERE x.org = ${scope.org} AND x.erasure_id = ${scope.erasureId} AND x.memory_id = ${id})`

/** No row has this memory_id any more. `stamped`: rows that an erasure stamped count as gone. */
function isGone(scope: Scope, id: RawBuilder<unknown>, stamped: boolean): Condition {
  const live = stamped ? sql`AND m.erased_by = ''` : sql``
  const liveVersion = stamped ? sql`AND v.erased_by = ''` : sql``
  return sql<boolean>`(NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = ${scope.org} AND m.memory_id = ${id} ${live})
    AND NOT EXISTS (SELECT 1 FROM loom.memory_version v WHERE v.org = ${scope.org} AND v.memory_id = ${id} ${liveVersion}))`
}

/**
 * Hangs on a memory of the scope by its id: one that is gone, or one whose head is newer than the fence while this is not.
 * @param keeps the table keeps stamped rows: those of earlier sagas stay unless they are in this one's scope
 */
export function attached(t: string, column: string, scope: Scope, keeps: boolean): Condition {
  const id = ref(t, column)
  const gone = scope.isPartial ? isTarget(scope, id) : isGone(scope, id, !keeps || !scope.purge)
  const stamped = keeps ? unstamped(t, scope) : sql`true`
  const within = sql`${before(t, scope)} AND EXISTS (SELECT 1 FROM loom.memory h WHERE h.org = ${scope.org} AND h.memory_id = ${id} AND ${placed('h', scope)})`
  return sql<boolean>`(${ofOrg(t, scope)} AND ${stamped} AND (${gone} OR (${within})))`
}

/** Hangs on a memory that is gone, whenever it was made. */
export const orphaned = (t: string, column: string, scope: Scope): Condition =>
  sql<boolean>`(${ofOrg(t, scope)} AND ${scope.isPartial ? isTarget(scope, ref(t, column)) : isGone(scope, ref(t, column), true)})`

/** A key that this saga took, while it is known, and that no row of its namespace holds any more. */
export const isTargetKey = (scope: Scope, namespace: RawBuilder<unknown>, key: RawBuilder<unknown>): Condition =>
  sql<boolean>`(EXISTS (SELECT 1 FROM loom.erasure_target x WHERE x.org = ${scope.org} AND x.erasure_id = ${scope.erasureId}
    AND x.namespace = ${namespace} AND x.memory_key = ${key}) AND ${keyUnheld(scope, namespace, key)})`

/** No row holds this key in this namespace any more, or none that stays. */
export const keyUnheld = (scope: Scope, namespace: RawBuilder<unknown>, key: RawBuilder<unknown>): Condition =>
  sql<boolean>`NOT EXISTS (SELECT 1 FROM loom.memory m WHERE m.org = ${scope.org} AND m.namespace = ${namespace} AND m.memory_key = ${key} AND m.erased_by = ''
    AND NOT (${placed('m', scope)} AND ${before('m', scope)}))`
