import { queryTerms } from '../../domain/search/analyser.ts'
import type { ReadContext } from '../handler.ts'
import { createHotIndex } from '../index/hot-index.ts'
import type { HotIndex } from '../index/types.ts'
import { coldCandidates } from '../store/cold-candidates.ts'
import { indexRows } from '../store/index-rows.ts'

/**
 * An index of the rows that the store itself finds near a query: what is searched while the index of all rows is
 * still being filled. The same ranking orders them; only how rare a word is, it cannot tell as well.
 */
export async function coldIndex(
  query: string,
  vector: Float32Array | null,
  namespaces: readonly string[],
  context: ReadContext,
): Promise<HotIndex> {
  const { db, parts, identity } = context
  const model = parts.models.embedder?.id ?? null
  const index = createHotIndex(vector ? { dim: vector.length } : {})
  const ids = await coldCandidates(db, { org: identity.org, namespaces }, { terms: queryTerms(query), vector, model })
  // Without a vector of the query none of the rows is of use, and the name of no model is asked for.
  await indexRows(db, index, identity.org, ids, vector === null ? '' : model)
  context.degraded.add('index_cold')
  return index
}
