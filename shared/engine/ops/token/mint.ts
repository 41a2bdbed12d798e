import type { Output } from '../../../contract/declare.ts'
import { tokenMint as contract } from '../../../contract/ops/token/mint.ts'
import { checkHanded } from '../../access/granting.ts'
import { defineWrite } from '../../handler.ts'
import { mintToken } from '../../store/tokens.ts'

const DAY_MS = 86_400_000

export const tokenMint = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, caller, actor, now, parts, identity } = context
    const { subject, kind, ttl_days, note, ...rest } = input
    const handed = checkHanded(caller, { ...rest, org: identity.org }, parts)
    const expires_at = ttl_days === null ? null : new Date(now.getTime() + ttl_days * DAY_MS)
    return mintToken(tx, { ...handed, subject, kind, expires_at, note }, { actor, requestId: caller.requestId }, now)
  },
})
