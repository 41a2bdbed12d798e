import type { Output } from '../../../contract/declare.ts'
import { blacklistRemove as contract } from '../../../contract/ops/blacklist/remove.ts'
import { defineWrite } from '../../handler.ts'
import { requireRole } from '../../rights.ts'
import { writeAudit } from '../../store/audit.ts'
import { patternById } from '../../store/blacklist.ts'
import { requireScope } from '../../write/blacklist-scope.ts'

export const blacklistRemove = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, actor, caller } = context
    const pattern = await patternById(tx, identity.org, input.blacklist_id)
    if (!pattern) return { removed: false }
    if (pattern.scope === 'namespace') requireRole(caller, pattern.org, pattern.namespace, 'admin')
    else requireScope(caller, identity.org, pattern.scope)
    await tx.deleteFrom('blacklist').where('org', '=', pattern.org).where('blacklist_id', '=', pattern.blacklist_id).execute()
    await writeAudit(tx, [
      {
        op: contract.name,
        at: now,
        org: identity.org,
        actor,
        requestId: caller.requestId,
        subject: `blacklist:-/-/-/${pattern.blacklist_id}`,
        namespace: pattern.namespace,
      },
    ])
    return { removed: true }
  },
})
