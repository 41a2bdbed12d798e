import { parseJson } from '../../contract/json.ts'
import { Name, SubjectName } from '../../contract/common.ts'
import { LoomError } from '../../contract/errors.ts'
import type { Caller } from '../caller.ts'
import { requireRole } from '../rights.ts'
import { isAdminOf } from './sight.ts'

/** A scope as a call names it, read. */
interface AskedScope {
  /** Null: every namespace of the org. */
  readonly namespaces: readonly string[] | null
  readonly userId: string
  readonly purge: boolean
}

interface ScopeInput {
  readonly scope_type: 'user_id' | 'namespace' | 'namespace_list'
  readonly scope_value: string
  readonly purge?: boolean
}

const MOST_NAMES = 500

const wrong = (message: string, field = 'scope_value'): LoomError => new LoomError('INVALID_ARGUMENT', message, { field })

function readJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

function readList(text: string): { readonly names: readonly string[]; readonly purge: boolean | undefined } {
  const read = readJson(text)
  const isObject = typeof read === 'object' && read !== null && !Array.isArray(read)
  const { namespaces, purge } = (isObject ? read : { namespaces: read }) as { namespaces?: unknown; purge?: unknown }
  const form = 'scope_value must be a JSON array of namespace names, or {"namespaces": […], "purge": true or false}.'
  if (!Array.isArray(namespaces) || (purge !== undefined && typeof purge !== 'boolean')) throw wrong(form)
  if (namespaces.length < 1 || namespaces.length > MOST_NAMES)
    throw wrong(`scope_value names ${namespaces.length} namespaces; it must name 1 to ${MOST_NAMES}.`)
  const names = namespaces.map((name: unknown) => {
    const known = Name.safeParse(name)
    if (!known.success) throw wrong(`${JSON.stringify(String(name).slice(0, 100))} is no name of a namespace.`)
    return known.data
  })
  return { names: [...new Set(names)].sort(), purge }
}

/**
 * Reads the scope of a call. A single namespace is never purged (T1).
 * @throws LoomError INVALID_ARGUMENT naming `scope_value`, or `purge` where the list says otherwise
 */
export function readScope({ scope_type, scope_value, purge }: ScopeInput): AskedScope {
  if (scope_value === '' || scope_value === '-') throw wrong('scope_value must name whom or what to erase; it is empty.')
  if (scope_type === 'user_id') {
    if (!SubjectName.safeParse(scope_value).success)
      throw wrong('scope_value is no user id: 1 to 200 characters without control characters.')
    return { namespaces: null, userId: scope_value, purge: purge === true }
  }
  if (scope_type === 'namespace') {
    if (!Name.safeParse(scope_value).success) throw wrong(`${JSON.stringify(scope_value.slice(0, 100))} is no name of a namespace.`)
    return { namespaces: [scope_value], userId: '', purge: false }
  }
  const list = readList(scope_value)
  if (purge === true && list.purge === false) throw wrong('purge is true in the call and false in scope_value. Say it once.', 'purge')
  return { namespaces: list.names, userId: '', purge: purge === true || list.purge === true }
}

/** @throws LoomError FORBIDDEN: a user and a list need an org admin, one namespace its admin (ERA032, ERA036-038) */
export function passScopeRights(caller: Caller, org: string, { scope_type }: ScopeInput, scope: AskedScope): void {
  if (isAdminOf(caller, org)) return
  const [namespace] = scope.namespaces ?? []
  if (scope_type === 'namespace' && namespace !== undefined) return requireRole(caller, org, namespace, 'admin')
  throw new LoomError('FORBIDDEN', `org_admin is needed for scope_type ${scope_type} in org ${org}; this token is not.`, {
    field: 'scope_type',
    role_needed: 'org_admin',
  })
}
