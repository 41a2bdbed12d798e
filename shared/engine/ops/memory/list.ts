import type { Output } from '../../../contract/declare.ts'
import { memoryList as contract } from '../../../contract/ops/memory/list.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { filterOf, looksAtShelf, seesRow } from '../../read/list-filter.ts'
import { copyRowView, listRowView } from '../../read/list-row.ts'
import { countOf, pageOf, type ListSources } from '../../read/list-page.ts'
import { attachedOf } from '../../store/attached.ts'
import { headsById } from '../../store/memories.ts'
import { conflictsOf } from '../../store/pairs.ts'
import { usageOf } from '../../store/row-view.ts'
import { namespacesWithCopies } from '../../store/shelf.ts'
import { copiesAsRows, sharedRows } from '../../store/shelf-heads.ts'

async function sourcesOf(context: ReadContext): Promise<ListSources> {
  const { org, namespace } = context.identity
  const rows = seesRow(context)
  const hasCopies = looksAtShelf(context) && (await namespacesWithCopies(context.db, org, [namespace])).length > 0
  return { rows, copies: hasCopies ? copiesAsRows(org, namespace, rows) : null }
}

export const memoryList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, now } = context
  const { org, namespace } = identity
  const filter = filterOf(input, context)
  const sources = await sourcesOf(context)
  const { placed, nextCursor } = await pageOf(db, sources, filter, input, namespace)
  const ids = placed.filter((one) => !one.is_copy).map((one) => one.memory_id)
  const keys = placed.filter((one) => one.is_copy).map((one) => one.memory_key)
  const heads = await headsById(db, org, ids)
  const copies = new Map((await sharedRows(db, org, namespace, keys)).map((copy) => [copy.memory_key, copy]))
  const usage = await usageOf(db, org, ids)
  const attached = await attachedOf(db, org, ids)
  const conflicts = await conflictsOf(db, org, ids)
  return {
    rows: placed.flatMap(({ memory_id: id, memory_key: key, is_copy }) => {
      const copy = is_copy ? copies.get(key) : undefined
      if (copy) return [copyRowView(copy, input.values, now)]
      const head = heads.get(id)
      return head ? [listRowView(head, usage.get(id), conflicts.get(id)?.length ?? 0, input.values, now, attached.get(id))] : []
    }),
    next_cursor: nextCursor,
    total: input.with_total ? await countOf(db, sources, filter) : null,
  }
})
