import type { Input, Output } from '../../../contract/declare.ts'
import { memoryOutcome as contract } from '../../../contract/ops/memory/outcome.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { lockKeys, type Head } from '../../store/memories.ts'
import { candidates, resolveOne } from '../../store/resolve.ts'
import { isLapsed, isLive } from '../../write/state.ts'
import { tellOutcome } from '../../write/tell-outcome.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

async function record(row: Head, input: Call, context: WriteContext): Promise<Answer> {
  const { head, tally, recorded, quarantined } = await tellOutcome(row, input, contract.name, context)
  const { memory_id, status } = head
  return { recorded, reason: recorded ? '' : 'repeated', memory_id, acted_count: tally.acted, harm_count: tally.harm, quarantined, status }
}

export const memoryOutcome = defineWrite(contract, {
  async run(input, context): Promise<Answer> {
    const { tx, identity, now, parts } = context
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const head = await resolveOne(tx, input.memory_key, context, (row) => isLive(row, now))
    if (head) return record(head, input, context)
    const expired = (await candidates(tx, input.memory_key, context)).some((row) => isLapsed(row, now))
    const reason = expired ? 'expired' : 'not_found'
    return { recorded: false, reason, memory_id: '', acted_count: 0, harm_count: 0, quarantined: false, status: '' }
  },
})
