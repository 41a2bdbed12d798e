import type { Output } from '../../../contract/declare.ts'
import { memoryImportCurated as contract } from '../../../contract/ops/memory/import_curated.ts'
import { sectionsOf } from '../../../domain/markdown/sections.ts'
import { defineBatch } from '../../handler.ts'
import { missingKeys, sectionItems, type SectionItem } from '../../write/import/section-items.ts'
import { standings, type Standing } from '../../write/import/standing.ts'
import { writeInOrder, type Fate } from '../../write/import/write-in-order.ts'

type Answer = Output<typeof contract>
type Result = Answer['results'][number]

const place = ({ index, content, section }: SectionItem): Pick<Result, 'index' | 'key' | 'heading' | 'line'> => ({
  index,
  key: content.key,
  heading: section.heading,
  line: section.line,
})

const statusOf = ({ head }: Exclude<Standing, { kind: 'free' }>): Pick<Result, 'status' | 'conflict_verdict'> => ({
  status: head.status as Result['status'],
  conflict_verdict: head.conflict_verdict as Result['conflict_verdict'],
})

const NONE = { status: '', conflict_verdict: '' } as const

/** What a write came to, where the key held something before or nothing. */
function written(item: SectionItem, fate: Fate, before: Standing): Result {
  const stood = before.kind === 'other' ? statusOf(before) : NONE
  if (fate.refused === 'pinned_peer')
    return { ...place(item), outcome: 'refused', reason: fate.refused, status: 'rejected', conflict_verdict: 'rejected' }
  if (fate.refused !== null) return { ...place(item), outcome: 'refused', reason: fate.refused, ...stood }
  const { outcome, answer } = fate.written
  const { status, conflict_verdict } = answer
  if (outcome === 'repeated') return { ...place(item), outcome: 'skipped', reason: 'unchanged', status, conflict_verdict }
  if (outcome === 'merged')
    return { ...place(item), outcome: 'held', reason: 'merge', status, conflict_verdict, held_by: answer.merged_into_key }
  const flagged = status === 'duplicate' || status === 'conflicted' ? status : ''
  return { ...place(item), outcome: before.kind === 'other' ? 'revised' : 'written', reason: flagged, status, conflict_verdict }
}

const OUT_OF_USE: ReadonlySet<Standing['kind']> = new Set<Standing['kind']>(['deleted', 'superseded', 'rejected', 'proposed', 'unknown'])

/** Reads how each key stands, then writes the sections as memory.bulk_set does its entries (CUR001-004). */
export const memoryImportCurated = defineBatch(contract, async (input, context): Promise<Answer> => {
  const curated = sectionsOf(input.markdown, input.heading_level)
  const items = sectionItems(curated, input, context)
  const contents = items.map((item) => item.content)
  const standing = await standings(contents, 'own', context)
  const before = (item: SectionItem): Standing => standing.get(item.content.key) ?? { kind: 'free' }
  const results: Result[] = items.flatMap((item): Result[] => {
    const found = before(item)
    return found.kind !== 'free' && OUT_OF_USE.has(found.kind)
      ? [{ ...place(item), outcome: 'skipped', reason: found.kind, ...statusOf(found) }]
      : []
  })
  const cap = context.parts.config.bulkConflictChecks
  await writeInOrder(
    items.filter((item) => !OUT_OF_USE.has(before(item).kind)),
    ({ index }) => ({ op: contract.name as 'memory.import_curated', checked: index < cap, valueDecides: true }),
    context,
    async (item, fate) => void results.push(written(item, fate, before(item))),
  )
  results.sort((a, b) => a.index - b.index)
  const count = (outcome: Result['outcome']): number => results.filter((result) => result.outcome === outcome).length
  return {
    results,
    totals: {
      written: count('written'),
      revised: count('revised'),
      held: count('held'),
      skipped: count('skipped'),
      refused: count('refused'),
    },
    missing: await missingKeys(
      contents.map((content) => content.key),
      input,
      context,
    ),
    unused_chars: curated.unusedChars,
    dry_run: input.dry_run,
    degraded: [...context.degraded],
  }
})
