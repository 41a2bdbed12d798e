import { ID5_FIELDS, Str } from '../../../contract/common.ts'
import type { OpContract } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import type { Caller } from '../../caller.ts'
import { boundOf, type Identity } from '../../identity.ts'

/**
 * A text of the arguments before they are validated; '' where there is none.
 * @throws LoomError INVALID_ARGUMENT for one that no store can hold.
 */
export function storable(args: Readonly<Record<string, unknown>>, field: string): string {
  const value = args[field]
  if (typeof value !== 'string') return ''
  if (Str.safeParse(value).success) return value
  throw new LoomError('INVALID_ARGUMENT', `args.${field} holds NUL or a lone surrogate.`, { field: `args.${field}` })
}

const ADDRESS = ['agent', 'user_id', 'session_id'] as const

/**
 * The identity that a pushed change names, to the letter: nothing is filled, `-` stays `-`.
 * @throws LoomError MISSING_IDENTITY_FIELD where a field is left out that the operation addresses a row by.
 */
export function exactIdentity(contract: OpContract, args: Readonly<Record<string, unknown>>): Identity {
  const isAddressed = contract.identity === 'exact' || contract.identity === 'resolve'
  const needed = new Set<(typeof ID5_FIELDS)[number]>([
    'org',
    ...(contract.identity === 'org' || contract.identity === 'none' ? [] : (['namespace'] as const)),
    ...(isAddressed ? ADDRESS : []),
  ])
  const read = (field: (typeof ID5_FIELDS)[number]): string => {
    const value = storable(args, field)
    if (value !== '') return value
    if (!needed.has(field)) return field === 'namespace' || field === 'agent' ? '' : '-'
    throw new LoomError('MISSING_IDENTITY_FIELD', `args.${field} is missing. A pushed change names all of its identity.`, {
      field: `args.${field}`,
    })
  }
  const [org, namespace, agent, user_id, session_id] = ID5_FIELDS.map(read) as [string, string, string, string, string]
  return { org, namespace, agent, user_id, session_id }
}

/** @throws LoomError FORBIDDEN for an identity outside what the device token is bound to. */
export function passBound(identity: Identity, contract: OpContract, caller: Caller): void {
  const { claims } = caller
  const isAddressed = contract.identity === 'exact' || contract.identity === 'resolve'
  const bound = isAddressed ? { ...boundOf(caller), ...(claims.agent !== '' && { agent: claims.agent }) } : {}
  for (const [field, value] of Object.entries({ org: claims.org, ...bound })) {
    if (identity[field as keyof Identity] !== value)
      throw new LoomError('FORBIDDEN', `The token of this device is bound to another ${field}.`, { field: `args.${field}` })
  }
}
