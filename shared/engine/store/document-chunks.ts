import { sql, type Selectable } from 'kysely'
import type { Sensitivity } from '../../contract/common.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { Tables } from '../db/tables.ts'
import { encodeHalfvec, encodeSignBits } from '../db/vector-bytes.ts'

export type ChunkRow = Pick<
  Selectable<Tables['knowledge_chunk']>,
  'document_id' | 'chunk_index' | 'section' | 'page' | 'line_from' | 'line_to' | 'start_at' | 'text' | 'sensitivity'
>

export interface NewChunk {
  readonly section: readonly string[]
  readonly page: number | null
  readonly lines: { readonly from: number; readonly to: number } | null
  readonly startAt: number
  readonly text: string
  readonly sensitivity: Sensitivity
}

/** A chunk as an outline has it: section, page, lines, sensitivity, and where it begins and ends in the text. */
type Outlined = readonly [
  section: readonly string[],
  page: number | null,
  from: number | null,
  to: number | null,
  level: Sensitivity,
  start: number,
  end: number,
]

/** Where chunks lie in the text of their document, as JSON. */
export function outlineOf(chunks: readonly NewChunk[]): string {
  return JSON.stringify(
    chunks.map(({ section, page, lines, sensitivity, startAt, text }): Outlined => {
      return [section, page, lines?.from ?? null, lines?.to ?? null, sensitivity, startAt, startAt + text.length]
    }),
  )
}

/** The chunks of a text by its outline. */
export function outlinedChunks(text: string, outline: string): NewChunk[] {
  return (JSON.parse(outline) as readonly Outlined[]).map(([section, page, from, to, sensitivity, startAt, end]) => {
    const lines = from === null || to === null ? null : { from, to }
    return { section, page, lines, sensitivity, startAt, text: text.slice(startAt, end) }
  })
}

/** Rows of one statement: on PGlite each holds up the thread that answers. */
const BATCH = 200

/** Text, chunks and vectors of a former version go. */
export async function dropChunks(tx: Tx, org: string, documentId: string): Promise<void> {
  await sql`DELETE FROM loom.knowledge_embedding WHERE org = ${org} AND document_id = ${documentId}`.execute(tx)
  await sql`DELETE FROM loom.knowledge_chunk WHERE org = ${org} AND document_id = ${documentId}`.execute(tx)
}

export async function addChunks(tx: Tx, org: string, documentId: string, chunks: readonly NewChunk[]): Promise<void> {
  for (let from = 0; from < chunks.length; from += BATCH) {
    await tx
      .insertInto('knowledge_chunk')
      .values(
        chunks.slice(from, from + BATCH).map(({ section, page, lines, startAt, text, sensitivity }, at) => ({
          org,
          document_id: documentId,
          chunk_index: from + at,
          section: [...section],
          page,
          line_from: lines?.from ?? null,
          line_to: lines?.to ?? null,
          start_at: startAt,
          text,
          sensitivity,
          tombstoned_at: null,
        })),
      )
      .execute()
  }
}

/** Chunks of a document from one on, in order. */
export async function chunksOfDocument(
  db: Queryable,
  org: string,
  documentId: string,
  section: readonly string[],
  from: number,
  limit: number,
): Promise<ChunkRow[]> {
  const inside = section.length === 0 ? sql`` : sql`AND c.section[1:${section.length}::int] = ${[...section]}::text[]`
  const { rows } =
    await sql<ChunkRow>`SELECT c.document_id, c.chunk_index, c.section, c.page, c.line_from, c.line_to, c.start_at, c.text, c.sensitivity
    FROM loom.knowledge_chunk c WHERE c.org = ${org} AND c.document_id = ${documentId} AND c.erased_by = '' AND c.chunk_index >= ${from} ${inside}
    ORDER BY c.chunk_index LIMIT ${limit}`.execute(db)
  return rows
}

export interface ChunkVector {
  readonly index: number
  readonly vector: Float32Array
}

/** Vectors of chunks, in place of those that they have. */
export async function putChunkVectors(
  tx: Tx,
  org: string,
  documentId: string,
  model: string,
  vectors: readonly ChunkVector[],
): Promise<void> {
  for (let from = 0; from < vectors.length; from += BATCH) {
    const rows = vectors
      .slice(from, from + BATCH)
      .map(
        ({ index, vector }) =>
          sql`(${org}, ${documentId}, ${index}::int, ${model}, ${encodeSignBits(vector)}::bit varying, ${encodeHalfvec(vector)}::halfvec)`,
      )
    await sql`INSERT INTO loom.knowledge_embedding (org, document_id, chunk_index, model, code, vec) VALUES ${sql.join(rows)}
      ON CONFLICT (org, document_id, chunk_index) DO UPDATE SET model = excluded.model, code = excluded.code, vec = excluded.vec`.execute(
      tx,
    )
  }
}

/** Chunks by the name that the index has for them. */
export async function chunksByPassage(
  db: Queryable,
  org: string,
  wanted: readonly { readonly documentId: string; readonly chunk: number }[],
): Promise<Map<string, ChunkRow>> {
  if (wanted.length === 0) return new Map()
  const { rows } =
    await sql<ChunkRow>`SELECT c.document_id, c.chunk_index, c.section, c.page, c.line_from, c.line_to, c.start_at, c.text, c.sensitivity
    FROM loom.knowledge_chunk c JOIN unnest(${wanted.map((one) => one.documentId)}::text[], ${wanted.map((one) => one.chunk)}::int[]) AS w(id, chunk)
      ON c.document_id = w.id AND c.chunk_index = w.chunk
    WHERE c.org = ${org} AND c.erased_by = ''`.execute(db)
  return new Map(rows.map((row) => [`${row.document_id}/${row.chunk_index}`, row]))
}

/** Whether a vector of a chunk that is searched is still to be made. */
export async function lacksVectors(db: Queryable, org: string, documentId: string): Promise<boolean> {
  const { rows } = await sql<{ lacks: boolean }>`SELECT EXISTS (SELECT 1 FROM loom.knowledge_chunk c
    WHERE c.org = ${org} AND c.document_id = ${documentId} AND c.sensitivity <> 'high' AND NOT EXISTS (SELECT 1 FROM loom.knowledge_embedding e
      WHERE e.org = c.org AND e.document_id = c.document_id AND e.chunk_index = c.chunk_index)) AS lacks`.execute(db)
  return rows[0]?.lacks ?? false
}
