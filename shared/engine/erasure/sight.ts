import { sql } from 'kysely'
import type { ErasureStatus } from '../../contract/erasure.ts'
import type { Caller } from '../caller.ts'
import type { Queryable } from '../db/database.ts'
import { atLeast, roleIn } from '../rights.ts'
import type { SagaRow } from './sagas.ts'

/** Which sagas a caller may read. A token bound to one user or session reads none. */

const isBound = ({ claims }: Caller): boolean => claims.user_id !== '' || claims.own_session

/** By a grant on every namespace of this very org; a platform admin's token must name it (WHK079). */
export const isAdminOf = (caller: Caller, org: string): boolean =>
  !isBound(caller) &&
  (caller.claims.org === org || caller.claims.grants['*'] === 'platform_admin') &&
  atLeast(caller.claims.grants['*'] ?? null, 'org_admin')

/** Sagas of one namespace by its members, of a collection by its admins, all others by an org admin (ERA023). */
export function mayRead(caller: Caller, saga: Pick<SagaRow, 'org' | 'scope_type' | 'namespaces'>): boolean {
  if (isBound(caller)) return false
  if (isAdminOf(caller, saga.org)) return true
  const [namespace] = saga.namespaces ?? []
  if (namespace === undefined) return false
  if (saga.scope_type === 'namespace') return roleIn(caller.claims, saga.org, namespace) !== null
  return saga.scope_type === 'collection' && atLeast(roleIn(caller.claims, saga.org, namespace), 'admin')
}

/** The sagas of an org that a caller may read, newest first. */
export async function sagasInSight(
  db: Queryable,
  caller: Caller,
  org: string,
  status: ErasureStatus | null,
  limit: number,
): Promise<(SagaRow & { readonly steps_done: number })[]> {
  if (isBound(caller)) return []
  const reach = Object.keys(caller.claims.grants)
  const inReach = (role: 'viewer' | 'admin'): string[] =>
    reach.filter((name) => name !== '*' && atLeast(roleIn(caller.claims, org, name), role))
  const everywhere = (role: 'viewer' | 'admin'): boolean => atLeast(roleIn(caller.claims, org, '*'), role)
  const of = (type: string, role: 'viewer' | 'admin') =>
    sql`(s.scope_type = ${type} AND (${everywhere(role)} OR s.namespaces[1] = any(${inReach(role)}::text[])))`
  const seen = isAdminOf(caller, org) ? sql`true` : sql`(${of('namespace', 'viewer')} OR ${of('collection', 'admin')})`
  const { rows } = await sql<SagaRow & { steps_done: number }>`SELECT s.*, (SELECT count(*)::int FROM loom.erasure_step t
      WHERE t.org = s.org AND t.erasure_id = s.erasure_id AND t.done_at IS NOT NULL) AS steps_done
    FROM loom.erasure_saga s WHERE s.org = ${org} AND (${status}::text IS NULL OR s.status = ${status}) AND ${seen}
    ORDER BY s.requested_at DESC, s.erasure_id DESC LIMIT ${limit}`.execute(db)
  return rows
}
