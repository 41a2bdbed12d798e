import type { Input } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { decisionRecord as contract } from '../../../contract/ops/decision/record.ts'
import type { WriteContext } from '../../handler.ts'
import { headAt, lockKeys, type Head } from '../../store/memories.ts'
import { closePairsOf } from '../../store/pairs.ts'
import { resolveOne } from '../../store/resolve.ts'
import { passGuards } from '../../write/guards.ts'
import type { ClaimInput } from '../../write/plan.ts'
import { supersede } from '../../write/retire.ts'
import { defineShaped } from '../../write/shaped/handler.ts'
import { isLive, isOnTrial } from '../../write/state.ts'

type Call = Input<typeof contract>

const refuse = (message: string): LoomError => new LoomError('INVALID_ARGUMENT', message, { field: 'supersedes' })

/**
 * The earlier decision, which may be taken out.
 * @throws LoomError INVALID_ARGUMENT, AMBIGUOUS_KEY, LOCKED or PINNED_CONFLICT
 */
async function earlier({ supersedes }: Call, claim: ClaimInput, context: WriteContext): Promise<Head | null> {
  if (supersedes === undefined) return null
  const { tx, now, identity, parts } = context
  if (supersedes === claim.memory_key)
    throw refuse('A decision does not supersede its own key: the new value revises it. Leave supersedes out.')
  const keys = [supersedes, claim.memory_key].map((key) => `${identity.org}/${identity.namespace}/${key}`)
  await lockKeys(tx, parts.database.kind, keys)
  const own = await headAt(tx, identity, claim.memory_key)
  if (own && isOnTrial(own, now))
    throw refuse(`${claim.memory_key} holds a proposal, which retires nothing. Decide it first with memory.proposal_decide.`)
  const head = await resolveOne(tx, supersedes, { ...context, given: {} }, (row) => isLive(row, now))
  if (!head) throw refuse(`No live row holds ${supersedes}. Nothing was stored.`)
  passGuards(head, 'drop', now)
  return head
}

export const decisionRecord = defineShaped(contract, {
  async before(input, claim, assessment, context) {
    const head = await earlier(input, claim, context)
    return head ? { judged: assessment.judged.filter((peer) => peer.head.memory_id !== head.memory_id) } : assessment
  },
  async after(input, { outcome, answer }, claim, context) {
    const head = input.dry_run || outcome === 'merged' || outcome === 'rejected' ? null : await earlier(input, claim, context)
    if (!head) return { ...answer, superseded: null }
    await supersede(
      head,
      { head: answer, reason: `The decision under ${answer.memory_key} takes its place.`, confidence: 1 },
      contract.name,
      context,
    )
    if (await closePairsOf(context.tx, head.org, head.memory_id)) context.afterCommit(() => context.parts.wake('conflict_resolver'))
    return { ...answer, superseded: { memory_key: head.memory_key, memory_id: head.memory_id } }
  },
})
