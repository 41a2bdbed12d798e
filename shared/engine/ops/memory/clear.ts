import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryClear as contract } from '../../../contract/ops/memory/clear.ts'
import { defineBatch, type CallContext, type PrepareContext } from '../../handler.ts'
import { eraseKept } from '../../store/idempotency.ts'
import type { Head } from '../../store/memories.ts'
import { transact } from '../../transact.ts'
import { clearRows, headsOfSubject, type Subject } from '../../write/clear-rows.ts'
import { isLive, lockOf } from '../../write/state.ts'

type Call = Input<typeof contract>
type Answer = Output<typeof contract>

const BATCH = 500
const MOST_REFUSED = 200

/** @throws LoomError INVALID_ARGUMENT unless confirm_subject names the agent or the user that the call gives. */
function subjectOf(input: Call, { given }: CallContext): Subject {
  const equal = (['agent', 'user'] as const).filter((type) => (type === 'agent' ? given.agent : given.user_id) === input.confirm_subject)
  const type = equal.length === 2 ? input.subject_type : equal[0]
  if (type !== undefined) return { type, name: input.confirm_subject }
  const field = equal.length === 2 ? 'subject_type' : 'confirm_subject'
  const message =
    equal.length === 2
      ? 'agent and user_id are equal: say which with subject_type.'
      : 'confirm_subject must equal the agent or the user_id given.'
  throw new LoomError('INVALID_ARGUMENT', `${message} Nothing was cleared.`, { field })
}

/** @throws LoomError FORBIDDEN for a bound token, but for one that clears the user it is bound to. */
function passBound({ caller }: CallContext, subject: Subject): void {
  const { user_id, own_session } = caller.claims
  if (user_id === '' && !own_session) return
  if (!own_session && subject.type === 'user' && subject.name === user_id) return
  throw new LoomError('FORBIDDEN', 'A token bound to one user or session may clear its own user_id alone.', { field: 'confirm_subject' })
}

/** Clears one batch in a transaction of its own, with what answers kept for a repeat quote of it; answers the rows that stay. */
async function clearBatch(heads: readonly Head[], context: PrepareContext): Promise<Head[]> {
  return transact(context, async (write) => {
    const left = await clearRows(heads, contract.name, write)
    const gone = heads.map((head) => head.memory_id).filter((id) => left.every((head) => head.memory_id !== id))
    await eraseKept(write.tx, context.identity.org, gone, 'quoting')
    return left
  })
}

export const memoryClear = defineBatch(contract, async (input, context): Promise<Answer> => {
  const subject = subjectOf(input, context)
  passBound(context, subject)
  const refused: Answer['refused'] = []
  let [cleared, refusedCount, after] = [0, 0, '']
  for (;;) {
    const heads = await headsOfSubject(context.db, context.identity, subject, after, BATCH)
    const last = heads.at(-1)
    if (!last) break
    after = last.memory_id
    // Each batch is a transaction: others come in between, and what came before a failure stays.
    const left = input.dry_run
      ? heads.filter((head) => isLive(head, context.now) && lockOf(head, context.now) !== null)
      : await clearBatch(heads, context)
    cleared += heads.length - left.length
    refusedCount += left.length
    for (const { memory_key, memory_id, agent, user_id, session_id } of left) {
      if (refused.length < MOST_REFUSED) refused.push({ memory_key, memory_id, agent, user_id, session_id, code: 'LOCKED' })
    }
  }
  return { subject_type: subject.type, subject: subject.name, cleared, refused, refused_count: refusedCount, dry_run: input.dry_run }
})
