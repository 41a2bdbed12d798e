import { ID5_FIELDS } from '../contract/common.ts'
import type { OpContract } from '../contract/declare.ts'
import { LoomError } from '../contract/errors.ts'
import type { Caller } from './caller.ts'
import { isPlatformAdmin } from './rights.ts'

export interface Identity {
  readonly org: string
  readonly namespace: string
  readonly agent: string
  readonly user_id: string
  readonly session_id: string
}
export type Given = Partial<Identity>

type Field = (typeof ID5_FIELDS)[number]

const NEEDED: Record<OpContract['identity'], readonly Field[]> = {
  exact: ['org', 'namespace', 'agent'],
  resolve: ['org', 'namespace'],
  selector: ['org', 'namespace'],
  namespace: ['org', 'namespace'],
  org: ['org'],
  none: [],
}

/** What the token fixes, whatever the call says. */
function fixedBy(caller: Caller): Given {
  const { claims } = caller
  const namespaces = Object.keys(claims.grants)
  const only = namespaces.length === 1 && namespaces[0] !== '*' ? namespaces[0] : undefined
  return {
    ...(claims.org !== '*' && { org: claims.org }),
    ...(only !== undefined && { namespace: only }),
    ...(claims.agent !== '' && { agent: claims.agent }),
    ...(claims.user_id !== '' && { user_id: claims.user_id }),
    ...(claims.own_session && { session_id: claims.session_id }),
  }
}

/** Where the person of an install keeps memory. */
export const INSTALL = { namespace: 'local', agent: 'default' } as const satisfies Given

/** What fills a field where the call does not name it. */
function filledBy(field: Field, caller: Caller, single: boolean): string | undefined {
  if (field === 'org' && caller.unnamedOrg !== undefined) return caller.unnamedOrg
  return fixedBy(caller)[field] ?? caller.fills[field as keyof Caller['fills']] ?? (single ? (INSTALL as Given)[field] : undefined)
}

/**
 * Org and namespace as far as the same caller must name them to reach the same place again: what a call that an answer
 * offers, such as an undo, carries beside its own fields.
 */
export function namedPlace({ org, namespace }: Pick<Identity, 'org' | 'namespace'>, caller: Caller, single: boolean): Given {
  return {
    ...(filledBy('org', caller, single) !== org && { org }),
    ...(filledBy('namespace', caller, single) !== namespace && { namespace }),
  }
}

function named(field: Field, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '' || value === '-') return undefined
  return field === 'agent' && value === '*' ? undefined : value
}

/**
 * Fills the identity of a call: its own fields, then what the token fixes, then what the connection names, then (in
 * single mode) the install's defaults (API017-019).
 * @throws LoomError FORBIDDEN when the call contradicts its token, MISSING_IDENTITY_FIELD when nothing fills a field.
 */
export function fillIdentity(
  contract: OpContract,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
  single: boolean,
): { identity: Identity; given: Given } {
  const fixed = fixedBy(caller)
  const given: Record<string, string> = {}
  const filled: Record<string, string> = {}
  for (const field of ID5_FIELDS) {
    if (!(field in contract.input.shape)) continue
    const own = named(field, input[field])
    // Of a platform admin the org is what fills, not what binds, where an operation says so.
    const free = field === 'org' && contract.platformNamesOrg === true && isPlatformAdmin(caller.claims)
    const bound = free && own !== undefined ? undefined : fixed[field]
    // A namespace outside the only grant is refused by the rights check, which names the role.
    if (own !== undefined && bound !== undefined && own !== bound && field !== 'namespace') {
      throw new LoomError('FORBIDDEN', `This token is bound to another ${field}. Leave ${field} out.`, { field })
    }
    if (own !== undefined) given[field] = own
    const exact = contract.identity === 'exact' && typeof input[field] === 'string' && input[field] !== '' ? input[field] : undefined
    const value =
      own ??
      bound ??
      (exact === '-' ? '-' : undefined) ??
      caller.fills[field as keyof Caller['fills']] ??
      (single ? (INSTALL as Given)[field] : undefined)
    if (value !== undefined) filled[field] = value
    else if (field === 'user_id' || field === 'session_id') filled[field] = '-'
    else if (NEEDED[contract.identity].includes(field)) {
      throw new LoomError(
        'MISSING_IDENTITY_FIELD',
        `${field} is missing, and neither the token nor the connection names it. Send ${field}.`,
        { field },
      )
    }
  }
  if (!('org' in filled)) filled['org'] = fixed.org ?? ''
  const identity = {
    org: filled['org'] ?? '',
    namespace: filled['namespace'] ?? '',
    agent: filled['agent'] ?? '',
    user_id: filled['user_id'] ?? '-',
    session_id: filled['session_id'] ?? '-',
  }
  return { identity, given }
}

/** Rows that the token may see besides its namespaces: bound to one user, or to one session. */
export function boundOf(caller: Caller): { readonly user_id?: string; readonly session_id?: string } {
  return {
    ...(caller.claims.user_id !== '' && { user_id: caller.claims.user_id }),
    ...(caller.claims.own_session && { session_id: caller.claims.session_id }),
  }
}

/** True when a row lies inside what the token is bound to. */
export function withinBound(caller: Caller, row: { readonly user_id: string; readonly session_id: string }): boolean {
  const bound = boundOf(caller)
  return (
    (bound.user_id === undefined || bound.user_id === row.user_id) &&
    (bound.session_id === undefined || bound.session_id === row.session_id)
  )
}
