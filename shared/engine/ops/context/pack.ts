import type { Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { Section, contextPack as contract } from '../../../contract/ops/context/pack.ts'
import { fillPack, packText } from '../../../domain/pack/fill.ts'
import { tokensOf } from '../../../domain/pack/tokens.ts'
import { defineRead } from '../../handler.ts'
import { conflictNotes } from '../../read/answer/cite.ts'
import { candidatesOf, wantedSections } from '../../read/pack/candidates.ts'
import { groupsOf } from '../../read/pack/groups.ts'
import { marksOf, memoryItem, priced, type Item } from '../../read/pack/items.ts'
import { passagesNear } from '../../read/pack/passages.ts'
import { recalledBy, recentRuns, runItem, shownRun } from '../../read/pack/recent-runs.ts'
import { pendingExtraction } from '../../read/pending-extraction.ts'
import { searchDegraded } from '../../read/search-answer.ts'

export const contextPack = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  if (input.mode === 'task' && input.query.trim() === '')
    throw new LoomError('INVALID_ARGUMENT', 'query is empty. Say what the task is, or ask for mode primer.', { field: 'query' })
  const { parts, identity, now } = context
  const wanted = wantedSections(input)
  const candidates = await candidatesOf(input, context)
  const { groups, conflicts, externalDropped } = await groupsOf(candidates, await recalledBy(input.run_id, context), context)
  const heads = groups.flat().map(({ head }) => head)
  const contested = new Set(conflicts.flatMap(({ rowId, peerId }) => [rowId, peerId]))
  const marks = await marksOf(heads, contested, context)
  const passages = await passagesNear(input, context)
  const runs = wanted.has('runs') ? await recentRuns(input.runs_limit, input.run_id, context) : []
  const others: Readonly<Partial<Record<Section, readonly Item[]>>> = { ...passages, runs: runs.map(runItem) }
  const sections = Section.options.map((name) => ({
    name,
    groups: [
      ...groups
        .filter(([first]) => first?.section === name)
        .map((group) => group.map((row): Item => memoryItem(row, marks, input.include_chunks))),
      ...(others[name] ?? []).map((item) => [item]),
    ],
  }))
  const filled = fillPack(sections, input.token_budget)
  const text = packText(filled)
  const packed = new Set(filled.flatMap(({ items }) => items.map((item) => item.memory_id)))
  const shown = heads.filter((head) => packed.has(head.memory_id))
  for (const head of shown) parts.usage.recalled(identity.org, head.memory_id, contract.name, now)
  return {
    sections: filled.map(({ name, items, elided }) => {
      const all = items.map(priced)
      return { name: Section.parse(name), items: all, tokens: all.reduce((sum, item) => sum + item.tokens, 0), elided }
    }),
    text,
    tokens: tokensOf(text),
    token_budget: input.token_budget,
    memory_keys: [...new Set(shown.map((head) => head.memory_key))],
    runs: runs.map(shownRun),
    conflicts: conflictNotes(shown, conflicts),
    external_dropped: externalDropped,
    abstain: input.mode === 'task' && !candidates.near && passages.documents.length + passages.conversations.length === 0,
    pending_extraction: await pendingExtraction([identity.namespace], context),
    next: '',
    degraded: searchDegraded(context),
  }
})
