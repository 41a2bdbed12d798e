import type { Input, Output } from '../../../contract/declare.ts'
import { learningDecide as contract } from '../../../contract/ops/learning/decide.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { writeAudit } from '../../store/audit.ts'
import { reviewOf, writeReview } from '../../store/learnings.ts'
import { lockKeys, type Head } from '../../store/memories.ts'
import { ambiguous, candidates } from '../../store/resolve.ts'
import { passGuards } from '../../write/guards.ts'
import { rejectRow } from '../../write/reject-row.ts'
import { auditOf, reviseRow } from '../../write/revise-row.ts'
import { STANDING, isLive } from '../../write/state.ts'

type Call = Input<typeof contract>

const REVIEWED = { keep: 'kept', reject: 'rejected' } as const

/** The learning as it then is: rejected, or living again. */
async function decided(head: Head, { decision }: Call, context: WriteContext): Promise<Head> {
  if (decision === 'reject') {
    if (head.status === 'rejected') return head
    passGuards(head, 'delete', context.now)
    return rejectRow(head, contract.name, context)
  }
  if (head.status !== 'rejected') return head
  return reviseRow(head, { ...STANDING, invalid_at: null, actor: context.actor }, contract.name, context)
}

export const learningDecide = defineWrite(contract, {
  async run(input, context): Promise<Output<typeof contract>> {
    const { tx, identity, now, parts, actor } = context
    await lockKeys(tx, parts.database.kind, [`${identity.org}/${identity.namespace}/${input.memory_key}`])
    const heads = await candidates(tx, input.memory_key, context)
    const live = heads.filter((head) => isLive(head, now))
    if (live.length > 1) throw ambiguous(input.memory_key, live)
    const head = live[0] ?? heads.find((row) => row.status === 'rejected')
    if (!head) return { found: false, decided: false, reason: 'not_found', review: null, status: '' }
    const before = await reviewOf(tx, head)
    if (before === null) return { found: true, decided: false, reason: 'not_a_learning', review: null, status: head.status }
    const review = REVIEWED[input.decision]
    const after = await decided(head, input, context)
    if (before !== review) {
      await writeReview(tx, after, { review, by: actor, at: now, reason: input.reason })
      // What no version tells of has an audit row of its own.
      if (after.version === head.version) await writeAudit(tx, [auditOf(after, contract.name, context)])
    }
    return { found: true, decided: true, reason: '', review, status: after.status }
  },
})
