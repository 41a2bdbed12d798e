import type { Output } from '../../../contract/declare.ts'
import { memoryUnlock as contract } from '../../../contract/ops/memory/unlock.ts'
import { defineWrite } from '../../handler.ts'
import { memoryAudit, writeAudit } from '../../store/audit.ts'
import { lockKeys, writeGuards } from '../../store/memories.ts'
import { resolveOne } from '../../store/resolve.ts'
import { lockView } from '../../store/row-view.ts'
import { isLive } from '../../write/state.ts'

const UNLOCKED = { lock_mode: '', lock_reason: '', locked_by: '', lock_until: null, lock_actor: '', locked_at: null }

export const memoryUnlock = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, now, identity, parts } = context
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const head = await resolveOne(tx, input.memory_key, context, (row) => isLive(row, now))
    if (!head) return { unlocked: false, reason: 'not_found', memory_id: '', was: null }
    const was = lockView(head, now)
    if (!was) return { unlocked: false, reason: 'not_locked', memory_id: head.memory_id, was: null }
    await writeGuards(tx, head.org, head.memory_id, UNLOCKED)
    await writeAudit(tx, [memoryAudit(head, { op: contract.name, at: now, actor: context.actor, requestId: context.caller.requestId })])
    context.emit({
      type: 'memory.changed',
      org: head.org,
      namespace: head.namespace,
      memory_key: head.memory_key,
      memory_id: head.memory_id,
    })
    const { mode, reason, locked_by, until } = was
    return { unlocked: true, reason: '', memory_id: head.memory_id, was: { mode, reason, locked_by, until } }
  },
})
