import type { RawBuilder } from 'kysely'
import type { Input, Output } from '../../../contract/declare.ts'
import { LoomError } from '../../../contract/errors.ts'
import { memoryRelated as contract } from '../../../contract/ops/memory/related.ts'
import { fold } from '../../../domain/text/fold.ts'
import { defineRead, type ReadContext } from '../../handler.ts'
import { anyHead } from '../../read/any-head.ts'
import { graphAround, namesIn, nearRelatives, relatedRow, statedRelatives, type Around, type Relative } from '../../read/relatives.ts'
import { servedRows } from '../../read/rows-in-scope.ts'
import { hasEntity, type GraphTriple } from '../../store/graph.ts'
import { iso } from '../../store/row-view.ts'
import { isLive } from '../../write/state.ts'

type Call = Input<typeof contract>

/** @throws LoomError INVALID_ARGUMENT unless exactly one is named, AMBIGUOUS_KEY for several rows. */
async function startOf(input: Call, shown: RawBuilder<boolean>, context: ReadContext): Promise<Around | null> {
  const { memory_key, memory_id, entity } = input
  if ([memory_key, memory_id, entity].filter((named) => named !== undefined).length !== 1)
    throw new LoomError('INVALID_ARGUMENT', 'Name memory_key, memory_id or entity, one of them.', { field: 'memory_key' })
  if (entity !== undefined) {
    const around: Around = { heads: [], names: [fold(entity)] }
    const known =
      (await hasEntity(context.db, context.identity.org, shown, fold(entity))) || (await graphAround(around, shown, context)).length > 0
    return known ? around : null
  }
  const head = await anyHead({ memory_key, memory_id }, context)
  if (!head || !isLive(head, context.now)) return null
  return { heads: [head], names: head.entities }
}

function triplesView(triples: readonly GraphTriple[], limit: number): Output<typeof contract>['triples'] {
  return triples.slice(0, limit).map((triple) => ({ ...triple, valid_at: iso(triple.valid_at) }))
}

/** A walk over the fact graph from one row or thing, one or two steps; each row once, by its strongest tie. */
export const memoryRelated = defineRead(contract, async (input, context): Promise<Output<typeof contract>> => {
  const shown = await servedRows(context)
  const start = await startOf(input, shown, context)
  if (!start) return { found: false, rows: [], triples: [] }
  const own = await graphAround({ heads: start.heads, names: start.heads.length > 0 ? [] : start.names }, shown, context)
  const names = [...new Set([...start.names, ...(start.heads.length > 0 ? namesIn(own) : [])])]
  const first: Around = { heads: start.heads, names }
  const triples = await graphAround(first, shown, context)
  const found = new Map<string, { relative: Relative; why: string[]; distance: number }>()
  const begun = new Set(start.heads.map((head) => head.memory_id))
  const add = (relatives: readonly Relative[], distance: number): void => {
    for (const relative of relatives) {
      const { memory_id: id } = relative.head
      if (begun.has(id)) continue
      const known = found.get(id)
      if (!known) found.set(id, { relative, why: [relative.why], distance })
      else if (known.distance === distance && !known.why.includes(relative.why)) known.why.push(relative.why)
      if (known && relative.similarity > known.relative.similarity) known.relative = { ...known.relative, similarity: relative.similarity }
    }
  }
  add(await statedRelatives(first, triples, shown, context), 1)
  for (const head of start.heads) add(await nearRelatives(head, shown, context), 1)
  let all = triples
  if (input.depth === 2 && found.size > 0) {
    const heads = [...found.values()]
      .filter(({ relative }) => relative.via !== 'meaning' && relative.via !== 'key')
      .map(({ relative }) => relative.head)
    const further: Around = { heads, names: [...new Set([...names, ...heads.flatMap((head) => head.entities), ...namesIn(triples)])] }
    all = await graphAround(further, shown, context)
    // Only ties that are stated lead further.
    add(await statedRelatives(further, all, shown, context), 2)
  }
  const rows = [...found.values()].slice(0, input.limit)
  return {
    found: true,
    rows: rows.map(({ relative, why, distance }) => relatedRow(relative, why, distance)),
    triples: triplesView(all, input.limit),
  }
})
