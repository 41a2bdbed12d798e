import { LoomError } from '../../contract/errors.ts'
import type { Head } from '../store/memories.ts'
import type { ClaimInput } from './plan.ts'
import { isLive, isOnTrial } from './state.ts'

/** What a write of a claim has to do with trials: facts that are tried out before they are served. */

const DECIDE_FIRST = 'Accept it first with memory.proposal_decide, then pin it.'

/**
 * @param held the fact or the proposal that the key holds
 * @throws LoomError INVALID_ARGUMENT for a pin on what is on trial.
 */
export function checkTrial(input: Pick<ClaimInput, 'proposed' | 'pinned' | 'memory_key'>, held: Head | null): void {
  if (!input.pinned) return
  if (input.proposed)
    throw new LoomError('INVALID_ARGUMENT', `proposed: a proposal cannot be pinned. ${DECIDE_FIRST}`, { field: 'proposed' })
  if (held?.status === 'proposed')
    throw new LoomError('INVALID_ARGUMENT', `pinned: ${input.memory_key} holds a proposal. ${DECIDE_FIRST}`, { field: 'pinned' })
}

/**
 * The proposal that the key holds, which every write but a decision leaves on trial (PRO002).
 * @throws LoomError KEY_HOLDS_FACT for a proposal on a key with a live row (PRO007).
 */
export function trialAt(input: Pick<ClaimInput, 'proposed' | 'memory_key'>, head: Head | null, now: Date): Head | null {
  if (input.proposed && head && isLive(head, now)) {
    throw new LoomError(
      'KEY_HOLDS_FACT',
      `${input.memory_key} holds a fact already. Propose under another key, or correct the fact with memory.update.`,
      { memory_key: input.memory_key, memory_id: head.memory_id },
    )
  }
  return head && isOnTrial(head, now) ? head : null
}

/** The call that ends a trial. */
export const decideCall = (key: string): string => `memory.proposal_decide(memory_key='${key}')`
