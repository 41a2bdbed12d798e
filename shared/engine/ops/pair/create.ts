import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { pairCreate as contract } from '../../../contract/ops/pair/create.ts'
import { checkHanded } from '../../access/granting.ts'
import { defineWrite } from '../../handler.ts'
import { createPairCode, pairLink } from '../../store/pair-codes.ts'

export const pairCreate = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, caller, actor, now, parts, identity } = context
    const { subject, kind, ttl_minutes, ...rest } = input
    const { agent: _agent, ...handed } = checkHanded(caller, { ...rest, org: identity.org }, parts)
    if (handed.org === '*') throw new LoomError('INVALID_ARGUMENT', 'A desktop is paired with one org. Name it.', { field: 'org' })
    const by = { actor, requestId: caller.requestId }
    const { pair_id, code, expires_at } = await createPairCode(tx, { ...handed, subject, kind }, ttl_minutes, by, now)
    return { pair_id, code, link: pairLink(parts.config.publicUrl, code), expires_at: expires_at.toISOString() }
  },
})
