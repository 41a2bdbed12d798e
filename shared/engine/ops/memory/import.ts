import type { Output } from '../../../contract/declare.ts'
import { IMPORT_REASONS, memoryImport as contract, type ImportOutcome } from '../../../contract/ops/memory/import.ts'
import { defineBatch, type PrepareContext } from '../../handler.ts'
import { readItems, type Item } from '../../write/import/items.ts'
import { linkOrNote } from '../../write/import/link-category.ts'
import { standings, type Standing } from '../../write/import/standing.ts'
import { twinOf } from '../../write/import/twin.ts'
import { writeInOrder, type Fate } from '../../write/import/write-in-order.ts'

type Answer = Output<typeof contract>
type Result = Answer['results'][number]

const place = ({ index, content }: Item): Pick<Result, 'index' | 'key'> => ({ index, key: content.key })

/** What a key that is in use answers; null: it is free to write. */
function skipped(item: Item, standing: Standing | undefined, context: PrepareContext): Result | null {
  const skip = (reason: Result['reason']): Result => ({ ...place(item), outcome: 'skipped', reason })
  if (!standing) return null
  switch (standing.kind) {
    case 'free':
      return null
    case 'same': {
      const { sensitivity } = item.input
      return skip(sensitivity !== '' && sensitivity !== standing.head.sensitivity ? 'sensitivity_kept' : 'unchanged')
    }
    case 'other':
      return skip('revised')
    case 'unknown': {
      const { status, memory_id } = standing.head
      const { caller, parts } = context
      parts.log.warn({ op: contract.name, request_id: caller.requestId, status, memory_id }, 'an import met a status that it does not know')
      return skip('unknown')
    }
    default:
      return skip(standing.kind)
  }
}

function written(item: Item, fate: Fate): Result {
  // Somebody gave the key another text, and a limit, in between.
  if (fate.refused === 'char_limit') return { ...place(item), outcome: 'skipped', reason: 'revised' }
  if (fate.refused !== null) return { ...place(item), outcome: 'refused', reason: fate.refused }
  const { outcome, answer } = fate.written
  // Somebody wrote the very text to the key in between.
  if (outcome === 'repeated') return { ...place(item), outcome: 'skipped', reason: 'unchanged' }
  if (outcome === 'merged') {
    const reason = answer.content_sha256 === item.content.sha256 ? 'identity_duplicate' : 'merge'
    return { ...place(item), outcome: 'held', reason, held_by: answer.merged_into_key }
  }
  const retires = answer.peers.some((peer) => peer.status === 'superseded')
  const flagged = answer.status === 'duplicate' || answer.status === 'conflicted' ? answer.status : ''
  return { ...place(item), outcome: 'written', reason: flagged || (retires ? 'refines' : '') }
}

/** An identical later entry answers as the first did; after a write there is nothing left to write (IMP064). */
function again(item: Item, first: Result): Result {
  return first.outcome === 'written' ? { ...first, ...place(item), outcome: 'skipped', reason: 'repeated' } : { ...first, ...place(item) }
}

const HOLDING: ReadonlySet<Result['reason']> = new Set<Result['reason']>(['unchanged', 'sensitivity_kept'])
const holdsFact = ({ outcome, reason }: Result): boolean => outcome === 'written' || (outcome === 'skipped' && HOLDING.has(reason))

/** Where the newer of two entries retires the other it is written last: the later said, then the later named (IMP068-070). */
async function inOrder(items: readonly Item[], { parts, db, identity, now }: PrepareContext): Promise<readonly Item[]> {
  const { default_conflict_policy: policy } = await parts.settings.get(db, identity.org, identity.namespace)
  if (policy !== 'newest_wins') return items
  const saidAt = ({ input }: Item): number => (input.valid_at ? Date.parse(input.valid_at) : now.getTime())
  return [...items].sort((a, b) => saidAt(a) - saidAt(b) || a.index - b.index)
}

/** Reads how each key stands, writes what is free, and links categories: three steps, with nothing locked between them (IMP033). */
export const memoryImport = defineBatch(contract, async (input, context): Promise<Answer> => {
  const { items, ignored } = readItems(input, context)
  const firsts = items.filter((item) => item.first === item.index)
  const standing = await standings(
    firsts.map((item) => item.content),
    'readable',
    context,
  )
  const results = new Map<number, Result>()
  const settle = async (item: Item, result: Result): Promise<void> => {
    const { category } = item
    const wanted = { key: result.key, category, holds: holdsFact(result), dry_run: input.dry_run }
    const note = category === '' ? null : await linkOrNote(wanted, context)
    results.set(item.index, { ...result, ...(note && { note }) })
  }
  const free: Item[] = []
  for (const item of firsts) {
    const result = skipped(item, standing.get(item.content.key), context)
    if (result) await settle(item, result)
    else free.push(item)
  }
  const mode = { op: contract.name as 'memory.import', checked: true, valueDecides: true, leavesHeld: true }
  await writeInOrder(
    await inOrder(free, context),
    ({ content, identity }) => ({ ...mode, twin: twinOf(content, identity, context.now) }),
    context,
    async (item, fate) => settle(item, written(item, fate)),
  )
  const all = items.flatMap((item): Result[] => {
    const first = results.get(item.first)
    if (!first) return []
    return [item.first === item.index ? first : again(item, first)]
  })
  const count = (outcome: ImportOutcome): number => all.filter((result) => result.outcome === outcome).length
  const outcomes = Object.keys(IMPORT_REASONS) as ImportOutcome[]
  const totals = Object.fromEntries(outcomes.map((outcome) => [outcome, count(outcome)])) as Answer['totals']
  const rest = { dry_run: input.dry_run, degraded: [...context.degraded] }
  return { results: all, totals, ...rest, ...(ignored.length > 0 && { ignored_args: ignored }) }
})
