import { memorySearch as contract } from '../../../contract/ops/memory/search.ts'
import { defineRead } from '../../handler.ts'
import { prepareRecall, rankedFor, recallPage } from '../../read/recall.ts'
import { offsetOf, requireQuery, searchAnswer, searchList } from '../../read/search-answer.ts'
import { writeCursor } from '../../store/cursor.ts'

export const memorySearch = defineRead(contract, async (input, context) => {
  const { parts, identity, now } = context
  requireQuery(input.query)
  const list = searchList(input, identity.namespace)
  const offset = offsetOf(list, input.cursor)
  const recall = await prepareRecall(input, context, rankedFor(input, offset))
  const recalled = await recallPage(recall, input, offset, context)
  const answer = await searchAnswer(recall, recalled, input, context)
  if (input.auto_touch) for (const hit of answer.results) parts.usage.recalled(identity.org, hit.memory_id, contract.name, now)
  return { ...answer, next_cursor: recalled.more ? writeCursor(list, [offset + input.top_k]) : null }
})
