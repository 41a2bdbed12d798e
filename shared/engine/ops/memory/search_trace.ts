import type { Output } from '../../../contract/declare.ts'
import { memorySearchTrace as contract } from '../../../contract/ops/memory/search_trace.ts'
import { defineRead } from '../../handler.ts'
import { expectedOf } from '../../read/expected-hit.ts'
import { prepareRecall, recallPage } from '../../read/recall.ts'
import { offsetOf, requireQuery, searchAnswer, searchList } from '../../read/search-answer.ts'
import { traceOf } from '../../read/search-trace.ts'
import { writeCursor } from '../../store/cursor.ts'

/** The same search as memory.search, told in its parts. Counts nothing. */
export const memorySearchTrace = defineRead(contract, async ({ expect_key: key, ...asked }, context): Promise<Output<typeof contract>> => {
  const input = { ...asked, explain: true }
  requireQuery(input.query)
  const list = searchList(input, context.identity.namespace)
  const offset = offsetOf(list, input.cursor)
  const times = [performance.now()]
  const recall = await prepareRecall(input, context)
  times.push(performance.now())
  const recalled = await recallPage(recall, input, offset, context)
  times.push(performance.now())
  const answer = await searchAnswer(recall, recalled, input, context)
  times.push(performance.now())
  const [prepare = 0, rank = 0, view = 0] = times.slice(1).map((at, nth) => at - (times[nth] ?? at))
  return {
    ...answer,
    next_cursor: recalled.more ? writeCursor(list, [offset + input.top_k]) : null,
    trace: traceOf(recall, input, context, { prepare, rank, view }),
    expected: key === '' ? null : await expectedOf(key, recall, input, context),
  }
})
