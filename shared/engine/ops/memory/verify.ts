import type { Output } from '../../../contract/declare.ts'
import { memoryVerify as contract } from '../../../contract/ops/memory/verify.ts'
import { defineWrite } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { lockKeys, writeGuards } from '../../store/memories.ts'
import { candidates, resolveOne } from '../../store/resolve.ts'
import { iso } from '../../store/row-view.ts'
import { passPrecondition } from '../../write/claim-answer.ts'
import { announce, auditOf } from '../../write/revise-row.ts'
import { isLapsed, isLive, isVerified } from '../../write/state.ts'

const WITHDRAWN = { verified_by: '', verified_at: null, verified_sha256: '' }

export const memoryVerify = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, actor, parts } = context
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const head = await resolveOne(tx, input.memory_key, context, (row) => isLive(row, now))
    if (!head) {
      const expired = (await candidates(tx, input.memory_key, context)).some((row) => isLapsed(row, now))
      return {
        verified: false,
        reason: expired ? 'expired' : 'not_found',
        memory_id: '',
        content_sha256: '',
        verified_by: '',
        verified_at: null,
      }
    }
    passPrecondition(input.if_match_sha256, head)
    const was = isVerified(head)
    const settled = was === input.verified && (!was || head.verified_by === actor)
    const guards = input.verified ? { verified_by: actor, verified_at: now, verified_sha256: head.content_sha256 } : WITHDRAWN
    const verified = settled ? head : { ...head, ...guards }
    if (!settled) {
      await writeGuards(tx, head.org, head.memory_id, guards)
      await writeAudit(tx, [auditOf(head, contract.name, context)])
      await announce(verified, context)
    }
    return {
      verified: input.verified,
      reason: '',
      memory_id: head.memory_id,
      content_sha256: head.content_sha256,
      verified_by: input.verified ? verified.verified_by : '',
      verified_at: input.verified ? iso(verified.verified_at) : null,
    }
  },
})
