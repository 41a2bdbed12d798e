import { setImmediate as nextTick } from 'node:timers/promises'
import { sql } from 'kysely'
import { indexedText, isDigestKey } from '../../domain/claim/excerpt.ts'
import type { Queryable } from '../db/database.ts'
import { decodeHalfvec } from '../db/vector-bytes.ts'
import { INDEXED_COLUMNS, indexedRowOf, type IndexedHead } from '../index/indexed-row.ts'
import type { HotIndex, IndexedRow } from '../index/types.ts'
import type { Vectors } from './attachments.ts'
import { claimOfHead } from './head-claim.ts'

interface StoredVector {
  memory_id: string
  axis: string
  model: string
  bytes: Uint8Array
}

/** Of `memory`: rows that may be in the index; `indexedRowOf` has the last word. */
export const isIndexed = sql<boolean>`status IN ('active', 'conflicted', 'duplicate', 'superseded', 'proposed')
  AND sensitivity <> 'high' AND memory_type <> 'episodic' AND erased_by = ''`

type Axis = 'value' | 'key'
const BOTH: readonly Axis[] = ['value', 'key']

async function vectorsFor(
  db: Queryable,
  org: string,
  memoryIds: readonly string[],
  model: string | null,
  axes: readonly Axis[],
): Promise<Map<string, Vectors>> {
  const { rows } = await sql<StoredVector>`SELECT memory_id, axis, model, halfvec_send(vec) AS bytes FROM loom.memory_embedding
    WHERE org = ${org} AND memory_id = any(${[...memoryIds]}::text[]) AND axis = any(${[...axes]}::text[])
      AND (${model}::text IS NULL OR model = ${model})`.execute(db)
  const byId = new Map<string, { model: string; value: Float32Array | null; key: Float32Array | null }>()
  for (const row of rows) {
    const entry = byId.get(row.memory_id) ?? { model: row.model, value: null, key: null }
    entry[row.axis === 'key' ? 'key' : 'value'] = decodeHalfvec(row.bytes)
    byId.set(row.memory_id, entry)
  }
  return byId
}

async function chunksFor(db: Queryable, org: string, memoryIds: readonly string[]): Promise<Map<string, string[]>> {
  const byId = new Map<string, string[]>()
  if (memoryIds.length === 0) return byId
  const { rows } = await sql<{ memory_id: string; text: string }>`SELECT memory_id, text FROM loom.memory_chunk
    WHERE org = ${org} AND memory_id = any(${[...memoryIds]}::text[]) ORDER BY memory_id, position`.execute(db)
  for (const row of rows) byId.set(row.memory_id, [...(byId.get(row.memory_id) ?? []), row.text])
  return byId
}

function indexContent(head: Pick<IndexedHead, 'value' | 'memory_key'>, chunks: readonly string[]) {
  const claim = claimOfHead(head)
  return { indexed: indexedText(claim, head.memory_key), keyIndexed: !isDigestKey(head.memory_key), chunks }
}

/** Heads as the index holds them, with their stored vectors of `model` (any, when null) and chunks. */
export async function indexedRowsOf(
  db: Queryable,
  org: string,
  heads: readonly IndexedHead[],
  model: string | null,
  axes = BOTH,
): Promise<(IndexedRow | null)[]> {
  const ids = heads.map((head) => head.memory_id)
  const vectors = await vectorsFor(db, org, ids, model, axes)
  const chunks = await chunksFor(
    db,
    org,
    heads.filter((head) => head.chunks > 0).map((head) => head.memory_id),
  )
  return heads.map((head) => indexedRowOf(head, indexContent(head, chunks.get(head.memory_id) ?? []), vectors.get(head.memory_id) ?? null))
}

/** Brings the rows named into an index as the store now has them; those that it is not to hold go from it. */
export async function indexRows(
  db: Queryable,
  index: HotIndex,
  org: string,
  memoryIds: readonly string[],
  model: string | null,
): Promise<void> {
  const heads: IndexedHead[] = await db
    .selectFrom('memory')
    .select(INDEXED_COLUMNS)
    .where('org', '=', org)
    .where('memory_id', '=', sql<string>`any(${[...memoryIds]}::text[])`)
    .where(isIndexed)
    .execute()
  const rows = await indexedRowsOf(db, org, heads, model)
  const found = new Map(rows.flatMap((row) => (row ? [[row.memoryId, row] as const] : [])))
  for (const id of memoryIds) {
    const row = found.get(id)
    if (row) index.upsert(row)
    else index.remove(id)
  }
}

const BATCH = 500
const KEYS_AT_ONCE = 500

/** Whether the store holds more than one batch of rows. Reads no more than their keys. */
export async function isLarge(db: Queryable): Promise<boolean> {
  const { rows } = await sql`SELECT org, memory_id FROM loom.memory OFFSET ${BATCH} LIMIT 1`.execute(db)
  return rows.length > 0
}

/**
 * Fills an index from the store, in batches, and lets whoever asks meanwhile be answered between them. The vectors of
 * keys, which take a third of the time and find little that the words of keys do not, follow with `fillKeyVectors`.
 */
export async function* fillIndex(db: Queryable, index: HotIndex, model: string | null): AsyncGenerator<void, void> {
  let org = ''
  let after = ''
  for (;;) {
    const heads: IndexedHead[] = await db
      .selectFrom('memory')
      .select(INDEXED_COLUMNS)
      .where(sql<boolean>`(org, memory_id) > (${org}, ${after})`)
      .where(isIndexed)
      .orderBy('org')
      .orderBy('memory_id')
      .limit(BATCH)
      .execute()
    const last = heads.at(-1)
    if (!last) return
    for (const part of new Set(heads.map((head) => head.org))) {
      const ofOrg = heads.filter((head) => head.org === part)
      for (const row of await indexedRowsOf(db, part, ofOrg, model, ['value'])) if (row) index.upsert(row)
    }
    org = last.org
    after = last.memory_id
    if (heads.length < BATCH) return
    yield
    await nextTick()
  }
}

/** Gives the rows of an index the vectors of their keys, in batches, until `signal` says to stop. */
export async function fillKeyVectors(db: Queryable, index: HotIndex, model: string | null, signal: AbortSignal): Promise<void> {
  let [org, after] = ['', '']
  while (!signal.aborted) {
    const { rows } = await sql<StoredVector & { org: string }>`SELECT org, memory_id, halfvec_send(vec) AS bytes FROM loom.memory_embedding
      WHERE (org, memory_id) > (${org}, ${after}) AND axis = 'key' AND (${model}::text IS NULL OR model = ${model})
      ORDER BY org, memory_id LIMIT ${KEYS_AT_ONCE}`.execute(db)
    for (const row of rows) index.addKeyVector(row.memory_id, decodeHalfvec(row.bytes))
    const last = rows.at(-1)
    if (!last || rows.length < KEYS_AT_ONCE) return
    ;[org, after] = [last.org, last.memory_id]
    // Whoever asks meanwhile is answered in between.
    await nextTick()
  }
}
