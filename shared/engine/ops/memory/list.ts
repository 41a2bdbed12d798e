import type { Output } from '../../../contract/declare.ts'
import { memoryList as contract } from '../../../contract/ops/memory/list.ts'
import { defineRead } from '../../handler.ts'
import { filterOf } from '../../read/list-filter.ts'
import { listRowView } from '../../read/list-row.ts'
import { countRows, pageOfRows } from '../../read/list-page.ts'
import { attachedOf } from '../../store/attached.ts'
import { conflictsOf } from '../../store/pairs.ts'
import { usageOf } from '../../store/row-view.ts'

export const memoryList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const filter = filterOf(input, context)
  const { heads, nextCursor } = await pageOfRows(context.db, filter, input, context.identity.namespace)
  const { org } = context.identity
  const ids = heads.map((head) => head.memory_id)
  const usage = await usageOf(context.db, org, ids)
  const attached = await attachedOf(context.db, org, ids)
  const conflicts = await conflictsOf(context.db, org, ids)
  return {
    rows: heads.map((head) =>
      listRowView(
        head,
        usage.get(head.memory_id),
        conflicts.get(head.memory_id)?.length ?? 0,
        input.values,
        context.now,
        attached.get(head.memory_id),
      ),
    ),
    next_cursor: nextCursor,
    total: input.with_total ? await countRows(context.db, filter) : null,
  }
})
