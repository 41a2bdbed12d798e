import type { Role } from '../../contract/common.ts'
import { LoomError } from '../../contract/errors.ts'
import type { Claims } from '../../contract/ops/engine/info.ts'
import type { Caller } from '../caller.ts'
import type { EngineParts } from '../parts.ts'
import { atLeast, isPlatformAdmin, roleIn } from '../rights.ts'

/** What a caller asks to hand on, by a token or by a pairing code. */
export interface Handed {
  readonly org: string
  readonly grants: Claims['grants']
  readonly agent?: string
  readonly user_id: string
  readonly own_session: boolean
  readonly session_id: string
}

/** Roles that hold for all namespaces or for none. */
const FLAT: ReadonlySet<Role> = new Set(['org_admin', 'platform_admin'])

function forbid(message: string, role: Role): never {
  throw new LoomError('FORBIDDEN', message, { field: 'grants', role_needed: role })
}

function refuse(message: string, field: string): never {
  throw new LoomError('INVALID_ARGUMENT', message, { field })
}

/**
 * Nobody hands on more than they hold: in each namespace granted the caller administers, and no role is above its own.
 * @throws LoomError FORBIDDEN, naming the role needed.
 */
function mayGrant(caller: Caller, org: string, grants: Claims['grants']): void {
  const own = (namespace: string): Role | null =>
    isPlatformAdmin(caller.claims) ? 'platform_admin' : roleIn(caller.claims, org, namespace)
  for (const [namespace, role] of Object.entries(grants)) {
    const held = own(namespace)
    const least = namespace === '*' ? 'org_admin' : 'admin'
    if (!atLeast(held, least)) forbid(`Granting ${role} in ${namespace} needs ${least} there.`, least)
    if (!atLeast(held, role)) forbid(`${role} in ${namespace} is above this token, which is ${held} there.`, role)
  }
}

/**
 * Checks what a call hands on, rights before sense, and answers it as it is stored: `-` means no user.
 * @throws LoomError FORBIDDEN, INVALID_ARGUMENT.
 */
export function checkHanded(caller: Caller, handed: Handed, parts: Pick<EngineParts, 'host'>): Handed & { readonly agent: string } {
  const { org, grants, own_session, session_id } = handed
  const user_id = handed.user_id === '-' ? '' : handed.user_id
  mayGrant(caller, org, grants)
  if (org === 'dev' && parts.host === 'server') refuse('dev is the own org of every install, and is on no server. Name another org.', 'org')
  if (org !== 'dev' && parts.host === 'desktop') refuse('A desktop mints tokens of its own org dev alone.', 'org')
  if (org === '*' && grants['*'] !== 'platform_admin')
    refuse('A token of all orgs is a platform admin: grant it platform_admin under *.', 'org')
  for (const [namespace, role] of Object.entries(grants)) {
    if (namespace !== '*' && FLAT.has(role)) refuse(`${role} holds for all namespaces: grant it under *, not under ${namespace}.`, 'grants')
    if ((user_id !== '' || own_session) && FLAT.has(role)) refuse('A token bound to one user or session holds at most admin.', 'grants')
  }
  if (session_id !== '' && !own_session) refuse('session_id binds only with own_session: true. Send both, or neither.', 'session_id')
  // A caller whose agent is fixed cannot make itself another.
  return { ...handed, user_id, agent: caller.claims.agent || (handed.agent ?? '') }
}
