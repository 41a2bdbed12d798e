import { isDigestKey } from '../../domain/claim/excerpt.ts'
import { NEAR_COVERAGE } from '../../domain/search/near.ts'
import { wordShareOf } from '../../domain/search/word-share.ts'
import type { ReadContext } from '../handler.ts'
import { createHotIndex } from '../index/hot-index.ts'
import type { IndexedDoc, SearchHit } from '../index/types.ts'
import { formerKeys, type FormerKey } from '../store/former-keys.ts'
import { indexedRowsOf } from '../store/index-rows.ts'
import { headsById } from '../store/memories.ts'
import type { Recall } from './recall.ts'
import type { SearchInput } from './search-scope.ts'

/** Rows that are looked at under a key which they had before. */
const MOST = 20

/** Keys that rows had before memory.move and that have half of the words of a query, each with its share of them. */
export async function formerKeysNear(
  input: SearchInput,
  namespaces: readonly string[],
  context: ReadContext,
): Promise<ReadonlyMap<string, FormerKey & { readonly share: number }>> {
  const { db, identity, parts } = context
  if (!parts.config.searchKeyMatch || input.search_mode === 'vector') return new Map()
  const all = await formerKeys(db, identity.org, namespaces)
  if (all.length === 0) return new Map()
  const shareOf = wordShareOf(input.query)
  const near = all
    .filter(({ key }) => !isDigestKey(key))
    .map((former) => ({ ...former, share: shareOf(former.key) }))
    .filter(({ share }) => share >= NEAR_COVERAGE)
    .sort((a, b) => a.share - b.share)
    .slice(-MOST)
  // Of several keys that one row had, the best is told.
  return new Map(near.map((former) => [former.memoryId, former]))
}

/**
 * Hits of rows under keys that they had before, ranked like any other: whoever asks by the old name finds the row.
 * `accepts` is asked about the row as it is.
 */
export async function formerHits(
  recall: Recall,
  limit: number,
  accepts: (doc: IndexedDoc) => boolean,
  context: ReadContext,
): Promise<readonly SearchHit[]> {
  const { former, vector } = recall
  if (former.size === 0) return []
  const { org } = context.identity
  const heads = await headsById(context.db, org, [...former.keys()])
  const index = createHotIndex(vector ? { dim: vector.length } : {})
  for (const row of await indexedRowsOf(context.db, org, [...heads.values()], vector ? (context.parts.models.embedder?.id ?? '') : '')) {
    const key = former.get(row?.memoryId ?? '')?.key
    if (row && key) index.upsert({ ...row, memoryKey: key, text: row.text.replace(` (#${row.memoryKey})`, ''), keyVector: null })
  }
  const isFound = ({ memoryId }: IndexedDoc): boolean => {
    const own = recall.index.get(memoryId)
    return own !== null && accepts(own)
  }
  const namespaces = new Set([...heads.values()].map((head) => head.namespace))
  return [...namespaces].flatMap((namespace) => recall.rankIn(index, namespace, limit, isFound).hits)
}
