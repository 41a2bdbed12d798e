import type { Input } from '../../../contract/declare.ts'
import { memoryUpdate as contract } from '../../../contract/ops/memory/update.ts'
import type { Queryable } from '../../db/database.ts'
import { defineWrite, type CallContext } from '../../handler.ts'
import type { Head } from '../../store/memories.ts'
import { ambiguous, candidates } from '../../store/resolve.ts'
import { isLive } from '../../write/state.ts'
import { assessUpdate, notUpdated, updateClaim, type FindHead } from '../../write/update-claim.ts'

type Call = Input<typeof contract>

const SERVED = new Set(['active', 'conflicted', 'duplicate'])

/** The live row of the key; where there is none, one that is only expired. */
const finderOf =
  (input: Call): FindHead =>
  async (db, context) => {
    const heads = (await candidates(db, input.memory_key, context)).filter((head) => SERVED.has(head.status))
    const live = heads.filter((head) => isLive(head, context.now))
    const pool = live.length > 0 ? live : heads
    if (pool.length > 1) throw ambiguous(input.memory_key, pool)
    return pool[0] ?? null
  }

/** Where to go from a key without a live row. */
async function nextFor(input: Call, db: Queryable, context: CallContext): Promise<string> {
  const heads = await candidates(db, input.memory_key, context)
  if (heads.some((head) => head.status === 'proposed')) return `memory.proposal_decide(memory_key='${input.memory_key}')`
  const led = heads.find((head: Head) => head.canonical_key !== '')
  return led ? `memory.update(memory_key='${led.canonical_key}', value=…)` : 'memory.search'
}

export const memoryUpdate = defineWrite(contract, {
  exclusive: (_input, { identity }) => `${identity.org}/${identity.namespace}`,
  assess: (input, _prepared: undefined, context) => assessUpdate(input, finderOf(input), context),
  async run(input, context, _prepared, assessed) {
    const updated = assessed && (await updateClaim(contract.name, input, finderOf(input), assessed, context))
    return updated ?? notUpdated(input.memory_key, 'not_found', await nextFor(input, context.tx, context), input, context)
  },
})
