import type { Input, Output } from '../../../contract/declare.ts'
import { memoryOutcome as contract } from '../../../contract/ops/memory/outcome.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { lockKeys, type Head } from '../../store/memories.ts'
import { countOutcome, keepRunOutcome, tallyOf, type Tally } from '../../store/outcomes.ts'
import { candidates, resolveOne } from '../../store/resolve.ts'
import { rejectRow } from '../../write/reject-row.ts'
import { isLapsed, isLive, lockOf } from '../../write/state.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

function answer(head: Head, tally: Tally, told: Pick<Answer, 'recorded' | 'reason' | 'quarantined'>): Answer {
  return { ...told, memory_id: head.memory_id, acted_count: tally.acted, harm_count: tally.harm, status: head.status }
}

/** A locked or pinned row keeps its status, and goes on counting (CHG037). */
const isGuarded = (head: Head, now: Date): boolean => head.pinned || lockOf(head, now) !== null

async function record(head: Head, input: Call, context: WriteContext): Promise<Answer> {
  const { tx, now, actor, parts } = context
  const { outcome, weight, run_id, note } = input
  const told = { org: head.org, memory_id: head.memory_id, run_id, outcome, weight, note, actor, at: now }
  if (run_id !== '' && !(await keepRunOutcome(tx, told))) {
    return answer(head, await tallyOf(tx, head.org, head.memory_id), { recorded: false, reason: 'repeated', quarantined: false })
  }
  const tally = await countOutcome(tx, head.org, head.memory_id, input)
  const quarantined = outcome === 'negative' && tally.streak >= parts.config.quarantineNegatives && !isGuarded(head, now)
  const row = quarantined ? await rejectRow(head, contract.name, context) : head
  return answer(row, tally, { recorded: true, reason: '', quarantined })
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
