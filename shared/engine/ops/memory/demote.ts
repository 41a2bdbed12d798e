import type { Output } from '../../../contract/declare.ts'
import { memoryDemote as contract } from '../../../contract/ops/memory/demote.ts'
import { defineWrite } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { lockKeys } from '../../store/memories.ts'
import { sharedAt, takeOffShelf } from '../../store/shelf.ts'

export const memoryDemote = defineWrite(contract, {
  async run({ memory_key }, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, parts, actor, caller } = context
    const { org, namespace } = identity
    await lockKeys(tx, parts.database.kind, [`${org}/${namespace}/${memory_key}`])
    const shared = await sharedAt(tx, { org, namespace, memory_key })
    if (!shared) return { demoted: false, reason: 'not_found', memory_key }
    await takeOffShelf(tx, shared)
    const { agent, user_id, session_id, memory_id, version, content_sha256 } = shared
    const subject = `memory:${agent}/${user_id}/${session_id}/${memory_key}`
    const row = { namespace, agent, user_id, session_id, memory_key, memory_id, version, content_sha256 }
    await writeAudit(tx, [{ ...row, op: contract.name, at: now, org, actor, requestId: caller.requestId, subject }])
    context.emit({ type: 'memory.changed', org, namespace, memory_key, memory_id })
    return { demoted: true, reason: '', memory_key }
  },
})
