import { sql } from 'kysely'
import type { Output } from '../../../contract/declare.ts'
import { conflictsList as contract } from '../../../contract/ops/conflicts/list.ts'
import { defineRead } from '../../handler.ts'
import { pageOfPairs, pairFilterOf, viewOf } from '../../read/pair-page.ts'
import { listName } from '../../store/cursor.ts'
import { countPairs, isOpen } from '../../store/pair-lists.ts'

export const conflictsList = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { now, identity } = context
  const inState = { open: [isOpen(now)], settled: [sql<boolean>`p.state = 'settled'`], all: [] }[input.state]
  const filter = pairFilterOf(context, {
    key: input.memory_key,
    origin: input.origin,
    conditions: [sql<boolean>`p.kind = 'conflict'`, ...inState],
  })
  const list = listName(contract.name, identity.namespace, input)
  const { shown, nextCursor } = await pageOfPairs(filter, list, input, context)
  const counts = await countPairs(context.db, filter, sql<string>`p.kind`)
  return { pairs: shown.map((pair) => viewOf(pair, now)), total: counts.get('conflict') ?? 0, next_cursor: nextCursor }
})
