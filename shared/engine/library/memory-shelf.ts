import { sql } from 'kysely'
import { parseJson } from '../../contract/json.ts'
import { claimText } from '../../domain/claim/claim-text.ts'
import { indexedText, isDigestKey } from '../../domain/claim/excerpt.ts'
import type { Json } from '../../domain/claim/json.ts'
import { decodeHalfvec } from '../db/vector-bytes.ts'
import { indexedRowOf } from '../index/indexed-row.ts'
import type { IndexedRow } from '../index/types.ts'
import { sharedHead, sharedRows, shelfMarks, type SharedRow } from '../store/shelf-heads.ts'
import type { Shelf } from './level-index.ts'

/** Name of a shared copy in the index, which no memory_id is. */
export const copyName = (org: string, namespace: string, key: string): string => `${org}\n${namespace}\n${key}`

export const keyOfCopy = (name: string): string => name.slice(name.indexOf('\n', name.indexOf('\n') + 1) + 1)

/** The vector of a row's value is the copy's too while the row still says the same. */
async function vectorsOf(
  db: Parameters<Shelf['passages']>[0],
  rows: readonly SharedRow[],
  model: string,
): Promise<Map<string, Float32Array>> {
  const found = await sql<{
    memory_id: string
    content_sha256: string
    bytes: Uint8Array
  }>`SELECT e.memory_id, m.content_sha256, halfvec_send(e.vec) AS bytes
    FROM loom.memory_embedding e JOIN loom.memory m ON m.org = e.org AND m.memory_id = e.memory_id
    WHERE e.org = ${rows[0]?.org ?? ''} AND e.memory_id = any(${rows.map((row) => row.memory_id)}::text[]) AND e.axis = 'value' AND e.model = ${model}`.execute(
    db,
  )
  return new Map(found.rows.map((row) => [`${row.memory_id} ${row.content_sha256}`, decodeHalfvec(row.bytes)]))
}

/** Shared copies of rows (memory.promote) as they are searched. */
export const memoryShelf: Shelf = {
  async fingerprint(db, org, namespace) {
    const { rows } = await sql<{
      mark: string
    }>`SELECT coalesce(md5(string_agg(memory_key || ' ' || mark, ',' ORDER BY memory_key)), '') AS mark
      FROM (${shelfMarks(org, namespace)}) AS copies`.execute(db)
    return rows[0]?.mark ?? ''
  },
  async revisions(db, org, namespace) {
    const { rows } = await sql<{ memory_key: string; mark: string }>`${shelfMarks(org, namespace)}`.execute(db)
    return new Map(rows.map((row) => [row.memory_key, row.mark]))
  },
  async passages(db, org, namespace, keys, model) {
    const shared = await sharedRows(db, org, namespace, keys)
    const vectors = await vectorsOf(db, shared, model)
    return new Map(
      shared.map((row): [string, IndexedRow[]] => {
        const { memory_key: key } = row
        const claim = claimText(parseJson(row.value) as Json)
        const vector = vectors.get(`${row.memory_id} ${row.content_sha256}`) ?? null
        const content = { indexed: indexedText(claim, key), keyIndexed: !isDigestKey(key), chunks: [] }
        const indexed = indexedRowOf(sharedHead(row), content, vector && { model, value: vector, key: null })
        return [key, indexed === null ? [] : [{ ...indexed, memoryId: copyName(org, namespace, key) }]]
      }),
    )
  },
}
