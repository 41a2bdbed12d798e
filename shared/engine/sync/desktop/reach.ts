import { ID5_FIELDS } from '../../../contract/common.ts'
import type { OpContract } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import type { Claims } from '../../../contract/ops/engine/info.ts'
import { INSTALL_ORG, type Caller } from '../../caller.ts'
import type { Place } from '../../desktop-settings/default-place.ts'
import type { CallContext } from '../../handler.ts'
import type { Connection } from './port.ts'
import type { ServerLink } from './server-link.ts'

/** The claims of whoever calls on this machine, on the org of the server: what the device's token grants. */
function grantedHere(claims: Claims, device: Claims): Claims {
  const { org, grants, user_id, own_session, session_id } = device
  return { ...claims, org, grants, user_id, own_session, session_id }
}

/** Operations that say no org, and are not about the one that calls go to. */
const OF_NO_ORG = new Set(['engine.info', 'erasure.status'])

const isOfInstall = ({ claims }: Caller): boolean => claims.token_id === '' && claims.org === INSTALL_ORG

/** The erasure that a call of the install names by its id alone; null for any other call. It may be the server's. */
export function namedErasure(contract: OpContract, input: Readonly<Record<string, unknown>>, caller: Caller): string | null {
  const id = input['erasure_id']
  return contract.name === 'erasure.status' && isOfInstall(caller) && typeof id === 'string' ? id : null
}

/**
 * Who the person of the install, or a program on this machine, is where the call goes.
 * @param place where calls go that name none; null: the install's own
 */
export function callerOn(
  connection: Connection | null,
  place: Place | null,
  contract: OpContract,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
): Caller {
  if (connection === null && place === null) return caller
  if (!isOfInstall(caller) || contract.host === 'desktop' || OF_NO_ORG.has(contract.name)) return caller
  const named = 'org' in contract.input.shape ? input['org'] : undefined
  const org = typeof named === 'string' && named !== '' && named !== '-' ? named : (place?.org ?? INSTALL_ORG)
  const fills = { ...(place?.org === org && { namespace: place.namespace }), ...caller.fills }
  if (org !== connection?.org) return { ...caller, fills }
  return { ...caller, claims: grantedHere(caller.claims, connection.claims), fills, unnamedOrg: place?.org ?? INSTALL_ORG }
}

/** Part of syncing itself: not for people to send. */
const OWN = new Set(['pair.redeem', 'sync.push', 'erasure.receipt', 'device.register'])

/** Whether an operation on the org of the server is run there and not here. */
export function runsOnServer(
  connection: Connection,
  contract: OpContract,
  input: Readonly<Record<string, unknown>>,
  caller: Caller,
): boolean {
  if (caller.claims.org !== connection.org || OWN.has(contract.name) || contract.host === 'desktop') return false
  if (contract.host === 'server' || contract.sync === 'server') return true
  // A pattern of the whole org binds everybody at once.
  return contract.name === 'blacklist.add' && (input['scope'] === 'org' || input['scope'] === 'global')
}

/** The pattern that a call names, where that decides who runs it. */
export function namedPattern(contract: OpContract, input: Readonly<Record<string, unknown>>): string | null {
  const names = contract.name === 'blacklist.remove' || contract.name === 'blacklist.sweep'
  return names && typeof input['blacklist_id'] === 'string' ? input['blacklist_id'] : null
}

/**
 * Runs an operation at the server, with the device's token.
 * @throws LoomError as the server answers; UNAVAILABLE where it cannot be reached, and nothing is queued
 */
export async function runOnServer(
  link: ServerLink,
  contract: OpContract,
  input: Readonly<Record<string, unknown>>,
  { identity, caller }: Pick<CallContext, 'identity' | 'caller'>,
): Promise<Record<string, unknown>> {
  const filled = ID5_FIELDS.filter((field) => field in contract.input.shape && identity[field] !== '' && identity[field] !== '-')
  const sent = { ...input, ...Object.fromEntries(filled.map((field) => [field, identity[field]])) }
  try {
    return await link.call(contract.name, sent, caller.signal ? { signal: caller.signal } : {})
  } catch (error) {
    if (caller.signal?.aborted) throw new LoomError('CANCELLED', 'The caller went away; the server may have run it.', {}, { cause: error })
    throw error
  }
}
