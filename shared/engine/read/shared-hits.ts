import type { ReadContext } from '../handler.ts'
import type { HotIndex, IndexedDoc, SearchHit } from '../index/types.ts'
import { keyOfCopy } from '../library/memory-shelf.ts'
import type { Head } from '../store/memories.ts'
import { namespacesWithCopies } from '../store/shelf.ts'
import { sharedHead, sharedRows } from '../store/shelf-heads.ts'
import type { Recall } from './recall.ts'
import type { SearchInput } from './search-scope.ts'

/** Hits on shared shelves; each is named by its copy, which no row is. */
export interface SharedHits {
  readonly hits: readonly SearchHit[]
  readonly heads: ReadonlyMap<string, Head>
}

/** The shelf of one namespace, level with the store. */
export interface SharedShelf {
  readonly namespace: string
  readonly index: HotIndex
}

/** Shelves are for who sees the whole namespace or is bound in it: a call that picks a writer or a run looks at rows alone. */
function looksAtShelves({ given }: ReadContext, input: SearchInput): boolean {
  const { agent, user_id, session_id } = given
  const picks = agent ?? user_id ?? session_id ?? input.agent_id
  return picks === undefined && input.read_scope === 'namespace' && input.run_id === '' && input.session_ids === undefined
}

/** The shelves that a search of these namespaces looks at. Of several namespaces it is asked at once which have any. */
export async function shelvesOf(searched: readonly string[], input: SearchInput, context: ReadContext): Promise<SharedShelf[]> {
  if (!looksAtShelves(context, input)) return []
  const { parts, identity, db } = context
  const wanted = searched.length > 1 ? await namespacesWithCopies(db, identity.org, searched) : searched
  const shelves: SharedShelf[] = []
  for (const namespace of wanted) {
    const index = await parts.library.shared.level(identity.org, namespace)
    if (index.size > 0) shelves.push({ namespace, index })
  }
  return shelves
}

/** Copies on the shelves of the searched namespaces whose rows the same search may not show: those count once, as rows. */
export async function sharedHits(recall: Recall, limit: number, context: ReadContext): Promise<SharedHits> {
  const { identity, db } = context
  const { served, passes } = recall.scope
  // Whose a copy is does not narrow: it belongs to the namespace.
  const accepts = (doc: IndexedDoc): boolean => served.every(({ holds }) => holds(doc)) && passes(doc)
  const found: SearchHit[] = []
  const heads = new Map<string, Head>()
  for (const { namespace, index } of recall.shelves) {
    const { hits } = recall.rankIn(index, namespace, limit, accepts)
    const rows = await sharedRows(
      db,
      identity.org,
      namespace,
      hits.map((hit) => keyOfCopy(hit.memoryId)),
    )
    const byKey = new Map(rows.map((row) => [row.memory_key, row]))
    for (const hit of hits) {
      const row = byKey.get(keyOfCopy(hit.memoryId))
      if (row === undefined || [...heads.values()].some((head) => head.memory_id === row.memory_id)) continue
      const own = recall.index.get(row.memory_id)
      if (own !== null && recall.scope.searched.includes(own.namespace) && recall.scope.inScope(own)) continue
      found.push(hit)
      heads.set(hit.memoryId, sharedHead(row))
    }
  }
  return { hits: found, heads }
}
