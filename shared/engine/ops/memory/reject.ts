import type { Output } from '../../../contract/declare.ts'
import { memoryReject as contract } from '../../../contract/ops/memory/reject.ts'
import { defineWrite } from '../../handler.ts'
import { lockKeys, type Head } from '../../store/memories.ts'
import { ambiguous, candidates } from '../../store/resolve.ts'
import { passGuards } from '../../write/guards.ts'
import { rejectRow } from '../../write/reject-row.ts'
import { isLapsed, isLive } from '../../write/state.ts'

function answer(head: Head): Output<typeof contract> {
  return {
    rejected: true,
    reason: '',
    memory_id: head.memory_id,
    version: head.version,
    version_text: head.version.toString(),
    status: head.status,
  }
}

export const memoryReject = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, parts } = context
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const heads = await candidates(tx, input.memory_key, context)
    const live = heads.filter((head) => isLive(head, now))
    if (live.length > 1) throw ambiguous(input.memory_key, live)
    const [head] = live
    if (head) {
      passGuards(head, 'delete', now)
      return answer(await rejectRow(head, contract.name, context))
    }
    const already = heads.find((row) => row.status === 'rejected')
    if (already) return answer(already)
    const expired = heads.some((row) => isLapsed(row, now))
    return { rejected: false, reason: expired ? 'expired' : 'not_found', memory_id: '', version: 0n, version_text: '0', status: '' }
  },
})
