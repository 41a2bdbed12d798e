import { createHash } from 'node:crypto'
import { LoomError } from '../../contract/errors.ts'
import type { Claims } from '../../contract/ops/engine/info.ts'
import { atLeast } from '../rights.ts'
import type { ShapeName } from './definitions.ts'

/** Which rows of a shape a token may have. Tokens with equal filters follow one log. */
export interface ShapeFilter {
  readonly org: string
  /** Sorted; null: every namespace of the org. */
  readonly namespaces: readonly string[] | null
  /** "": rows of any user. */
  readonly user_id: string
  /** "": rows of any session. */
  readonly session_id: string
}

/** What an erasure covers: an org's namespaces (null: all of them), and one user in them ("": everybody). */
export interface ErasureScope {
  readonly org: string
  readonly namespaces: readonly string[] | null
  readonly user_id: string
}

/** Shapes of a namespace itself, and its shared shelf, which a bound reads as everybody does. */
const UNBOUND: ReadonlySet<ShapeName> = new Set(['erasures', 'namespaces', 'categories', 'schemas', 'blacklist', 'shelf'])

/**
 * The filter that claims fix for a shape.
 * @throws LoomError FORBIDDEN for a token of every org, and where the shape needs more than the token has.
 */
export function filterOf(claims: Claims, shape: ShapeName): ShapeFilter {
  if (claims.org === '*')
    throw new LoomError('FORBIDDEN', 'A shape is of one org, and this token is of every org. Use a token of the org.', { field: 'org' })
  const role = shape === 'blacklist' ? 'writer' : 'viewer'
  const reach = Object.keys(claims.grants).filter((namespace) => atLeast(claims.grants[namespace] ?? null, role))
  if (reach.length === 0)
    throw new LoomError('FORBIDDEN', `The shape ${shape} needs ${role} in at least one namespace.`, { role_needed: role })
  const bound = !UNBOUND.has(shape)
  return {
    org: claims.org,
    namespaces: reach.includes('*') ? null : reach.sort(),
    user_id: bound ? claims.user_id : '',
    session_id: bound && claims.own_session ? claims.session_id : '',
  }
}

/** A filter in one spelling. */
export function filterText({ org, namespaces, user_id, session_id }: ShapeFilter): string {
  return JSON.stringify({ org, namespaces, user_id, session_id })
}

export function filterFrom(text: string): ShapeFilter {
  return JSON.parse(text) as ShapeFilter
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** True when rows of the scope may be among those of the filter. */
export function meets(filter: ShapeFilter, scope: ErasureScope): boolean {
  if (filter.org !== scope.org) return false
  if (filter.user_id !== '' && scope.user_id !== '' && filter.user_id !== scope.user_id) return false
  const { namespaces } = filter
  return namespaces === null || scope.namespaces === null || scope.namespaces.some((name) => namespaces.includes(name))
}
