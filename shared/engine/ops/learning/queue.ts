import type { Output } from '../../../contract/declare.ts'
import { parseJson } from '../../../contract/json.ts'
import { learningQueue as contract } from '../../../contract/ops/learning/queue.ts'
import type { Json } from '../../../domain/claim/json.ts'
import { claimText } from '../../../domain/claim/claim-text.ts'
import { defineRead } from '../../handler.ts'
import { sideView } from '../../read/pair-view.ts'
import { inSelector } from '../../read/rows-in-scope.ts'
import { listName, readPlace, writeCursor } from '../../store/cursor.ts'
import { evidenceOf, learningCounts, learningsPage } from '../../store/learnings.ts'
import { usageOf } from '../../store/row-view.ts'

/** What a learning says, where it may be shown. */
function said(value: Json): { lesson: string; situation: string } {
  if (value === null) return { lesson: '', situation: '' }
  const situation = typeof value === 'object' && !Array.isArray(value) ? (value as { readonly situation?: Json }).situation : ''
  return { lesson: claimText(value), situation: typeof situation === 'string' ? situation : '' }
}

export const learningQueue = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const { db, identity, given, now } = context
  const list = listName(contract.name, identity.namespace, { ...input, ...given })
  const place = readPlace(list, input.cursor, ['time', 'text'])
  const scope = inSelector(context)
  const rows = await learningsPage(db, scope, input.review, place, input.limit + 1)
  const shown = rows.slice(0, input.limit)
  const last = shown.at(-1)
  const ids = shown.map((row) => row.memory_id)
  const [usage, evidence] = [await usageOf(db, identity.org, ids), await evidenceOf(db, identity.org, ids)]
  return {
    learnings: shown.map((learning) => {
      const row = sideView(learning, now)
      const used = usage.get(learning.memory_id)
      return {
        row,
        ...said(row.value === null ? null : (parseJson(learning.value ?? 'null') as Json)),
        evidence: evidence.get(learning.memory_id) ?? [],
        review: learning.review,
        reviewed_by: learning.reviewed_by,
        reviewed_at: learning.reviewed_at?.toISOString() ?? null,
        used_count: Number(used?.used_count ?? 0n),
        outcomes: { positive: Number(used?.acted_count ?? 0n), negative: Number(used?.harm_count ?? 0n) },
      }
    }),
    counts: await learningCounts(db, scope),
    next_cursor: rows.length > input.limit && last ? writeCursor(list, [last.created_at.toISOString(), last.memory_id]) : null,
  }
})
