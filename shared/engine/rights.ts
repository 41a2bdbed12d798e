import { ROLES, type Role } from '../contract/common.ts'
import { LoomError } from '../contract/errors.ts'
import type { Claims } from '../contract/ops/engine/info.ts'
import type { Caller } from './caller.ts'

const rank = (role: Role): number => ROLES.indexOf(role)

/** The higher of the grants for a namespace and for all; null when there is none: the namespace does not exist then. */
export function roleIn(claims: Claims, org: string, namespace: string): Role | null {
  if (claims.org !== '*' && claims.org !== org) return null
  const roles = [claims.grants[namespace], claims.grants['*']].filter((role): role is Role => role !== undefined)
  if (roles.length === 0) return null
  return roles.reduce((best, role) => (rank(role) > rank(best) ? role : best))
}

export function atLeast(role: Role | null, needed: Role): boolean {
  return role !== null && rank(role) >= rank(needed)
}

/** @throws LoomError FORBIDDEN, naming the role needed. */
export function requireRole(caller: Caller, org: string, namespace: string, needed: Role): void {
  const role = roleIn(caller.claims, org, namespace)
  if (atLeast(role, needed)) return
  const has = role === null ? 'this token does not reach it' : `this token is ${role} there`
  throw new LoomError('FORBIDDEN', `${needed} is needed in namespace ${namespace || '*'} of org ${org}; ${has}.`, {
    field: 'namespace',
    role_needed: needed,
  })
}

/** @throws LoomError FORBIDDEN for tokens bound to one user or session, where an operation allows none. */
export function requireUnbound(caller: Caller, what: string): void {
  if (caller.claims.user_id !== '' || caller.claims.own_session) {
    throw new LoomError('FORBIDDEN', `${what} is refused to a token bound to one user or session. Use an unbound token.`)
  }
}
