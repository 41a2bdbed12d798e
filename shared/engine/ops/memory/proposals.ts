import type { Output } from '../../../contract/declare.ts'
import { memoryProposals as contract } from '../../../contract/ops/memory/proposals.ts'
import { defineRead } from '../../handler.ts'
import { proposalFilterOf, proposalViews } from '../../read/proposal-views.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { countProposals, pageProposals, PROPOSAL_ITEM } from '../../store/proposals.ts'

export const memoryProposals = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, parts } = context
  const filter = proposalFilterOf(context, input.memory_key)
  const list = listName(contract.name, identity.namespace, input)
  const found = await pageProposals(db, filter, input.limit + 1, readPlace(list, input.cursor, ['time', 'text']))
  const heads = found.slice(0, input.limit)
  const last = heads.at(-1)
  const { proposal_policy: policy } = await parts.settings.get(db, identity.org, identity.namespace)
  const more = found.length > input.limit && last
  return {
    proposals: await proposalViews(heads, filter, context),
    policy,
    total: await countProposals(db, filter),
    next_cursor: more ? writeCursor(list, [last.updated_at.toISOString(), `${PROPOSAL_ITEM}${last.memory_id}`]) : null,
  }
})
