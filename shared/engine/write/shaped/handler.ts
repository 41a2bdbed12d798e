import type { Input, OpContract, Output } from '../../../contract/declare.ts'
import { defineWrite, type WriteContext, type WriteHandler } from '../../handler.ts'
import { headAt } from '../../store/memories.ts'
import type { Assessment } from '../judging.ts'
import type { ClaimInput } from '../plan.ts'
import { assessClaim, prepareClaim, putClaim, type Prepared, type Written } from '../set-claim.ts'
import { isHeld } from '../state.ts'
import { claimOf } from './claims.ts'

/** What such an operation knows before it judges. */
export interface ShapedClaim {
  readonly claim: ClaimInput
  readonly prepared: Prepared
}

/** How an operation that builds a claim differs from memory.set. */
export interface ShapedSteps<C extends OpContract> {
  /** Before anything is written, under no lock; answers the assessment that counts. */
  before?(input: Input<C>, claim: ClaimInput, assessment: Assessment, context: WriteContext): Promise<Assessment>
  /** In the claim's own transaction; answers what is told besides. */
  after(input: Input<C>, written: Written, claim: ClaimInput, context: WriteContext): Promise<Output<C>>
}

/** An operation that builds a key and a value, then is memory.set: same checks, verdict, errors, events and audit row. */
export function defineShaped<C extends OpContract>(contract: C, steps: ShapedSteps<C>): WriteHandler<C, ShapedClaim, Assessment> {
  return defineWrite<C, ShapedClaim, Assessment>(contract, {
    async prepare(input, context) {
      const key = claimOf(contract.name, input, context.identity, []).memory_key
      const head = await headAt(context.db, context.identity, key)
      const claim = claimOf(contract.name, input, context.identity, head && isHeld(head, context.now) ? head.tags : [])
      return { claim, prepared: await prepareClaim(claim, context) }
    },
    exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
    assess: (_input, { claim, prepared }, context) => assessClaim(claim, prepared, context),
    async run(input, context, { claim, prepared }, assessment) {
      const counts = (await steps.before?.(input, claim, assessment, context)) ?? assessment
      const written = await putClaim(contract.name, claim, context, prepared, counts, { checked: true, valueDecides: false })
      return steps.after(input, written, claim, context)
    },
  })
}
