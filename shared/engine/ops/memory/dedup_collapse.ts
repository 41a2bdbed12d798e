import type { Input, Output } from '../../../contract/declare.ts'
import { memoryDedupCollapse as contract } from '../../../contract/ops/memory/dedup_collapse.ts'
import { groupSame, type Groupable } from '../../../domain/verdict/groups.ts'
import { defineWrite, type WriteContext } from '../../handler.ts'
import { sideView } from '../../read/pair-view.ts'
import { dropGroups, groupedIn, rowsToGroup, saveGroups, sureDuplicates, type CollapseScope } from '../../store/collapse-groups.ts'
import type { Head } from '../../store/memories.ts'
import { usageOf } from '../../store/row-view.ts'

type Answer = Output<typeof contract>
const MOST_SHOWN = 100

async function groupsIn(scope: CollapseScope, context: WriteContext): Promise<{ canonical: Head; members: Head[] }[]> {
  const heads = new Map((await rowsToGroup(context.tx, scope)).map((head) => [head.memory_id, head]))
  const usage = await usageOf(context.tx, scope.org, [...heads.keys()])
  const rows = [...heads.values()].map((head): Groupable => ({
    id: head.memory_id,
    key: head.memory_key,
    memoryType: head.memory_type,
    canonical: head.canonical_sha256,
    pinned: head.pinned,
    reinforced: Number(usage.get(head.memory_id)?.reinforcement_count ?? 0n),
    createdAt: head.created_at.getTime(),
  }))
  const related = (await sureDuplicates(context.tx, scope)).map((pair) => [pair.row_id, pair.peer_id] as const)
  return groupSame(rows, related).flatMap((group) => {
    const [canonical, ...members] = group.flatMap((row) => heads.get(row.id) ?? [])
    return canonical ? [{ canonical, members }] : []
  })
}

async function expand(scope: CollapseScope, input: Input<typeof contract>, context: WriteContext): Promise<Answer> {
  const { parts, tx } = context
  const grouped = await groupedIn(tx, scope)
  const ids = grouped.map((row) => row.memoryId)
  if (!input.dry_run) {
    await dropGroups(tx, scope.org, ids)
    context.afterCommit(() => ids.forEach((id) => parts.collapses.remove(id)))
  }
  const expanded = grouped.filter((row) => row.memoryId !== row.canonicalId).length
  return { groups: [], collapsed: 0, expanded, truncated: false, dry_run: input.dry_run }
}

export const memoryDedupCollapse = defineWrite(contract, {
  async run(input, context): Promise<Answer> {
    const { tx, identity, given, now, parts } = context
    const { org, namespace } = identity
    const scope = { org, namespace, agent: given.agent, userId: given.user_id, sessionId: given.session_id, now }
    if (input.expand) return expand(scope, input, context)
    const found = await groupsIn(scope, context)
    const groups = found.slice(0, input.limit)
    const rows = groups.flatMap(({ canonical, members }) =>
      [canonical, ...members].map((head) => ({ memoryId: head.memory_id, canonicalId: canonical.memory_id, version: head.version })),
    )
    const before = new Map((await groupedIn(tx, scope)).map((row) => [row.memoryId, row]))
    const news = rows.filter((row) => {
      const was = before.get(row.memoryId)
      return row.memoryId !== row.canonicalId && (was?.canonicalId !== row.canonicalId || was.version !== row.version)
    })
    if (!input.dry_run) {
      await saveGroups(tx, org, rows)
      context.afterCommit(() => rows.forEach((row) => parts.collapses.put(row.memoryId, row.canonicalId, row.version)))
    }
    return {
      groups: groups.slice(0, MOST_SHOWN).map(({ canonical, members }) => ({
        canonical: sideView(canonical, now),
        members: members.map((head) => ({ memory_key: head.memory_key, memory_id: head.memory_id })),
      })),
      collapsed: news.length,
      expanded: 0,
      truncated: found.length > input.limit,
      dry_run: input.dry_run,
    }
  },
})
