import { ROLES, type Role } from '../contract/common.ts'
import type { OpRole } from '../contract/declare.ts'
import { LoomError } from '../contract/errors.ts'
import type { Claims } from '../contract/ops/engine/info.ts'
import type { Caller } from './caller.ts'

/** `none` ranks below them all. */
const rank = (role: OpRole): number => (role === 'none' ? -1 : ROLES.indexOf(role))

/** The higher of the grants for a namespace and for all; null when there is none: the namespace does not exist then. */
export function roleIn(claims: Claims, org: string, namespace: string): Role | null {
  if (claims.org !== '*' && claims.org !== org) return null
  const roles = [claims.grants[namespace], claims.grants['*']].filter((role): role is Role => role !== undefined)
  if (roles.length === 0) return null
  return roles.reduce((best, role) => (rank(role) > rank(best) ? role : best))
}

/** A platform admin's token of one org may name others where an operation says so. */
export function isPlatformAdmin(claims: Claims): boolean {
  return claims.grants['*'] === 'platform_admin'
}

/** True when some namespace gives the caller the role. */
export function atLeastSomewhere(claims: Claims, needed: OpRole): boolean {
  return Object.values(claims.grants).some((role) => atLeast(role, needed))
}

export function atLeast(role: Role | null, needed: OpRole): boolean {
  return role !== null && rank(role) >= rank(needed)
}

/** @throws LoomError FORBIDDEN, naming the role needed and the field that says where. */
export function requireRole(caller: Caller, org: string, namespace: string, needed: OpRole, field = 'namespace'): void {
  const role = roleIn(caller.claims, org, namespace)
  if (atLeast(role, needed)) return
  const has = role === null ? 'this token does not reach it' : `this token is ${role} there`
  throw new LoomError('FORBIDDEN', `${needed} is needed in namespace ${namespace || '*'} of org ${org}; ${has}.`, {
    field,
    role_needed: needed,
  })
}

/** @throws LoomError FORBIDDEN for tokens bound to one user or session, where an operation allows none. */
export function requireUnbound(caller: Caller, what: string): void {
  if (caller.claims.user_id !== '' || caller.claims.own_session) {
    throw new LoomError('FORBIDDEN', `${what} is refused to a token bound to one user or session. Use an unbound token.`)
  }
}
