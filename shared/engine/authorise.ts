import type { OpContract } from '../contract/declare.ts'
import type { CallContext } from './handler.ts'
import { atLeast, atLeastSomewhere, isPlatformAdmin, requireRole, requireUnbound } from './rights.ts'

/** @throws LoomError FORBIDDEN for a caller who may not call the operation where the call goes. */
export function authorise(contract: OpContract, context: CallContext): void {
  const { caller } = context
  const { claims } = caller
  if (contract.role === 'none') return
  if (contract.bound === 'none') requireUnbound(caller, contract.name)
  const { org, namespace } = context.identity
  if (contract.identity === 'none' || contract.identity === 'org') {
    const reaches = contract.identity === 'none' || claims.org === '*' || claims.org === org
    if (!reaches && !(contract.platformNamesOrg === true && isPlatformAdmin(claims))) requireRole(caller, org, '*', contract.role)
    // They look for themselves which namespaces the token reaches, and by an id answer alike for what is not there and
    // what is not theirs. What takes an admin is refused to whoever is nowhere one.
    if (atLeast(contract.role, 'admin') && !atLeastSomewhere(claims, contract.role))
      requireRole(caller, org || claims.org, '*', contract.role)
  } else requireRole(caller, org, namespace, contract.role)
}
