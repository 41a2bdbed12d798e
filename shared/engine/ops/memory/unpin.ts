import type { Output } from '../../../contract/declare.ts'
import { memoryUnpin as contract } from '../../../contract/ops/memory/unpin.ts'
import { defineWrite } from '../../handler.ts'
import { memoryAudit, writeAudit } from '../../store/audit.ts'
import { writeGuards } from '../../store/memories.ts'
import { candidates, resolveOne } from '../../store/resolve.ts'
import { announce } from '../../write/revise-row.ts'
import { isLapsed, isLive } from '../../write/state.ts'

export const memoryUnpin = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, now } = context
    const head = await resolveOne(tx, input.memory_key, context, (row) => isLive(row, now))
    if (!head) {
      const expired = (await candidates(tx, input.memory_key, context)).some((row) => isLapsed(row, now))
      return { unpinned: false, reason: expired ? 'expired' : 'not_found', memory_id: '', version: 0n, version_text: '0' }
    }
    const found = { memory_id: head.memory_id, version: head.version, version_text: head.version.toString() }
    if (!head.pinned) return { unpinned: false, reason: 'not_pinned', ...found }
    await writeGuards(tx, head.org, head.memory_id, { pinned: false })
    await writeAudit(tx, [memoryAudit(head, { op: contract.name, at: now, actor: context.actor, requestId: context.caller.requestId })])
    await announce({ ...head, pinned: false }, context)
    return { unpinned: true, reason: '', ...found }
  },
})
