import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { tokenRevoke as contract } from '../../../contract/ops/token/revoke.ts'
import { tokensInSight } from '../../access/sight.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { isPlatformAdmin } from '../../rights.ts'
import { deviceById, endDevice } from '../../store/devices.ts'
import { listTokens, lockOrgAdmins, revokeToken, tokenById, type TokenRow } from '../../store/tokens.ts'

/** The token, if it is in the caller's list. */
async function inSight({ tx, caller }: WriteContext, tokenId: string): Promise<TokenRow | null> {
  const { claims } = caller
  const row = await tokenById(tx, tokenId)
  if (!row || (row.org !== claims.org && !isPlatformAdmin(claims))) return null
  const seen = tokensInSight(claims, row.org)
  const [found] = await listTokens(tx, row.org, { seen, revoked: true, after: null, limit: 1, tokenId })
  return found ?? null
}

export const tokenRevoke = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, caller, actor, now, parts } = context
    const row = await inSight(context, input.token_id)
    if (!row)
      throw new LoomError('NOT_FOUND', 'There is no such token among those that token.list names to this caller.', { field: 'token_id' })
    const { token_id, org } = row
    const admins = await lockOrgAdmins(tx, org, now)
    if (admins.length === 1 && admins[0] === token_id) {
      throw new LoomError('INVALID_ARGUMENT', `This is the last org_admin token of ${org}. Mint another before this one goes.`, {
        field: 'token_id',
      })
    }
    const by = { actor, requestId: caller.requestId, op: contract.name, reason: input.reason }
    const revoked = await revokeToken(tx, row, by, now)
    // A device without its token is no device: it is shown as revoked, and nobody waits for it.
    const device = row.device_id === '' ? null : await deviceById(tx, org, row.device_id)
    if (device?.token_id === token_id) await endDevice(tx, device, false, by, now)
    context.afterCommit(() => parts.erasures.noteEnded())
    return { token_id, revoked }
  },
})
