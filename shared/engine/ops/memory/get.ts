import { memoryGet as contract } from '../../../contract/ops/memory/get.ts'
import { defineRead } from '../../handler.ts'
import { withinBound } from '../../identity.ts'
import { answerRead, answerShared } from '../../read/answer-read.ts'
import { answerAsOf, asOfOf } from '../../read/read-as-of.ts'
import { headAt } from '../../store/memories.ts'
import { ambiguous, candidates } from '../../store/resolve.ts'
import { sharedAt } from '../../store/shelf.ts'
import { isLive } from '../../write/state.ts'

/**
 * The head at the exact identity decides, whatever its status. Where there is none, the whole namespace is looked at:
 * a live row before a retired one, and last the shared shelf.
 */
export const memoryGet = defineRead(contract, async (call, context) => {
  const input = { ...call, op: contract.name }
  const asOf = asOfOf(input)
  const exact = await headAt(context.db, context.identity, input.memory_key)
  if (exact && withinBound(context.caller, exact))
    return asOf ? answerAsOf([exact], input, asOf, context) : answerRead(exact, input, context)
  const found = await candidates(context.db, input.memory_key, context)
  if (asOf) return answerAsOf(found, input, asOf, context)
  const live = found.filter((head) => isLive(head, context.now))
  const pool = live.length > 0 ? live : found
  if (pool.length > 1) throw ambiguous(input.memory_key, pool)
  const shared = pool.length === 0 ? await sharedAt(context.db, { ...context.identity, memory_key: input.memory_key }) : null
  return shared ? answerShared(shared, input) : answerRead(pool[0] ?? null, input, context)
})
