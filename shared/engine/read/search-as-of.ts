import { setImmediate as nextTick } from 'node:timers/promises'
import { sql } from 'kysely'
import { parseJson } from '../../contract/json.ts'
import { chunksOf } from '../../domain/claim/chunks.ts'
import { claimText } from '../../domain/claim/claim-text.ts'
import { indexedText, isDigestKey } from '../../domain/claim/excerpt.ts'
import type { Json } from '../../domain/claim/json.ts'
import { asciiOnly } from '../../domain/claim/stored-form.ts'
import type { ReadContext } from '../handler.ts'
import { createHotIndex } from '../index/hot-index.ts'
import { indexedRowOf } from '../index/indexed-row.ts'
import type { HotIndex } from '../index/types.ts'
import { indexedRowsOf } from '../store/index-rows.ts'
import type { Head } from '../store/memories.ts'
import { asHead, standing, versionsAsOf, type AsOf } from '../store/versions-as-of.ts'

export interface PastIndex {
  readonly index: HotIndex
  readonly heads: ReadonlyMap<string, Head>
  /** Some versions have no vector any more, and are found by words only. */
  readonly wordsOnly: boolean
}

const BATCH = 500

/** What the index needs of a version that is past. */
function pastContent(head: Head) {
  const value = parseJson(head.value ?? 'null') as Json
  const chunks = head.chunks > 0 ? chunksOf(value, asciiOnly(head.value ?? ''), head.memory_key) : []
  return { indexed: indexedText(claimText(value), head.memory_key), keyIndexed: !isDigestKey(head.memory_key), chunks }
}

/** An index of the rows of some namespaces as they were at a time. Rows still at that version have their vectors. */
export async function indexAsOf(namespaces: readonly string[], asOf: AsOf, context: ReadContext): Promise<PastIndex> {
  const { db, parts, identity } = context
  const { embedder } = parts.models
  const index = createHotIndex(embedder ? { dim: embedder.dim } : {})
  const heads = new Map<string, Head>()
  let wordsOnly = false
  const versions = await versionsAsOf(db, parts.host, asOf, sql`v.org = ${identity.org} AND v.namespace = any(${[...namespaces]}::text[])`)
  // A row that is high now is readable by key only, whatever it was.
  const stood = versions.filter(
    (version) => standing(version, asOf) === '' && version.head_sensitivity !== 'high' && version.value !== null,
  )
  for (let from = 0; from < stood.length; from += BATCH) {
    const batch = stood.slice(from, from + BATCH)
    // What expired since stood then: the version was chosen by its own times.
    const dated = batch.map((version) => ({ version, head: { ...asHead(version), expires_at: null, valid_to: null } }))
    const current = dated.filter(({ version }) => version.is_head).map(({ head }) => head)
    // Without a model no vector fits, and the name of none is asked for.
    for (const row of await indexedRowsOf(db, identity.org, current, embedder?.id ?? '')) if (row) index.upsert(row)
    for (const { version, head } of dated) {
      heads.set(head.memory_id, asHead(version))
      if (version.is_head) continue
      const row = indexedRowOf(head, pastContent(head), null)
      if (!row) continue
      wordsOnly ||= row.searchable
      index.upsert(row)
    }
    await nextTick()
  }
  return { index, heads, wordsOnly }
}
