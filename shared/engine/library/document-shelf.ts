import { sql } from 'kysely'
import { headOf } from '../../domain/knowledge/chunks.ts'
import type { Reader } from '../db/database.ts'
import { decodeHalfvec } from '../db/vector-bytes.ts'
import type { IndexedRow } from '../index/types.ts'
import type { Shelf } from './level-index.ts'

/** Name of a chunk in the index, and what it stands for. */
export const passageOf = (documentId: string, chunk: number): string => `${documentId}/${chunk}`

export function chunkOf(passage: string): { readonly documentId: string; readonly chunk: number } {
  const cut = passage.lastIndexOf('/')
  return { documentId: passage.slice(0, cut), chunk: Number(passage.slice(cut + 1)) }
}

interface PassageRow {
  readonly document_id: string
  readonly chunk_index: number
  readonly user_id: string
  readonly agent: string
  readonly session_id: string
  readonly collection: string
  readonly title: string
  readonly section: string[]
  readonly text: string
  readonly tags: string[]
  readonly source_class: string
  readonly version: bigint
  readonly created_at: Date
  readonly updated_at: Date
  readonly bytes: Uint8Array | null
}

const LIVE = sql`d.tombstoned_at IS NULL AND d.erased_by = ''`

function rowOf(org: string, namespace: string, row: PassageRow): IndexedRow {
  return {
    memoryId: passageOf(row.document_id, row.chunk_index),
    org,
    namespace,
    agent: row.agent,
    userId: row.user_id,
    // Chunks stand by themselves: only turns of a talk lend each other their words.
    sessionId: '-',
    runId: '',
    memoryKey: headOf(row.title, row.section),
    memoryType: row.collection,
    status: 'active',
    sourceClass: row.source_class,
    confidence: 1,
    pinned: false,
    version: row.version,
    createdAt: row.created_at.getTime(),
    updatedAt: row.updated_at.getTime(),
    validAt: null,
    validTo: null,
    expiresAt: null,
    tags: row.tags,
    entities: [],
    actor: '',
    text: row.text,
    keyIndexed: true,
    chunks: [],
    position: row.chunk_index,
    searchable: true,
    valueVector: row.bytes && decodeHalfvec(row.bytes),
    keyVector: null,
  }
}

/** Documents by their chunks; those of high sensitivity are readable by key only. */
export const documentShelf: Shelf = {
  async fingerprint(db, org, namespace) {
    const { rows } = await sql<{
      mark: string
    }>`SELECT count(*) || '/' || coalesce(max(d.index_rev), 0) || '/' || coalesce(sum(d.index_rev), 0) AS mark
      FROM loom.knowledge_document d WHERE d.org = ${org} AND d.namespace = ${namespace} AND ${LIVE}`.execute(db)
    return rows[0]?.mark ?? ''
  },
  async revisions(db, org, namespace) {
    const { rows } = await sql<{ document_id: string; index_rev: bigint }>`SELECT d.document_id, d.index_rev FROM loom.knowledge_document d
      WHERE d.org = ${org} AND d.namespace = ${namespace} AND ${LIVE}`.execute(db)
    return new Map(rows.map((row) => [row.document_id, row.index_rev]))
  },
  async passages(db: Reader, org, namespace, ids, model) {
    const { rows } =
      await sql<PassageRow>`SELECT d.document_id, c.chunk_index, d.user_id, d.agent, d.session_id, d.collection, d.title, c.section, c.text,
        d.tags, d.source_class, d.version, d.created_at, d.updated_at, halfvec_send(e.vec) AS bytes
      FROM loom.knowledge_document d
      JOIN loom.knowledge_chunk c ON c.org = d.org AND c.document_id = d.document_id AND c.erased_by = '' AND c.sensitivity <> 'high'
      LEFT JOIN loom.knowledge_embedding e ON e.org = c.org AND e.document_id = c.document_id AND e.chunk_index = c.chunk_index AND e.model = ${model}
      WHERE d.org = ${org} AND d.namespace = ${namespace} AND d.document_id = any(${[...ids]}::text[]) AND ${LIVE}
      ORDER BY d.document_id, c.chunk_index`.execute(db)
    const byId = new Map<string, IndexedRow[]>()
    for (const row of rows) {
      const passages = byId.get(row.document_id) ?? []
      passages.push(rowOf(org, namespace, row))
      byId.set(row.document_id, passages)
    }
    return byId
  },
}
