import { sql } from 'kysely'
import { embeddedText } from '../../domain/knowledge/chunks.ts'
import type { Reader } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import type { Embedder } from '../ports.ts'
import { putChunkVectors } from '../store/document-chunks.ts'
import type { Job } from './job.ts'

export const EMBED_DOCUMENTS = 'embed_documents'
const BATCH = 64

interface Lacking {
  readonly org: string
  readonly namespace: string
  readonly document_id: string
  readonly version: bigint
  readonly title: string
  readonly chunk_index: number
  readonly section: string[]
  readonly text: string
}

/** Chunks that search finds and that lack a vector of this model, newest documents first. */
async function chunksWithout(db: Reader, model: string, limit: number): Promise<Lacking[]> {
  const { rows } = await sql<Lacking>`SELECT d.org, d.namespace, d.document_id, d.version, d.title, c.chunk_index, c.section, c.text
    FROM loom.knowledge_document d JOIN loom.knowledge_chunk c ON c.org = d.org AND c.document_id = d.document_id
    WHERE d.tombstoned_at IS NULL AND d.erased_by = '' AND c.erased_by = '' AND c.sensitivity <> 'high' AND NOT EXISTS (SELECT 1
      FROM loom.knowledge_embedding e WHERE e.org = c.org AND e.document_id = c.document_id AND e.chunk_index = c.chunk_index AND e.model = ${model})
    ORDER BY d.updated_at DESC, d.document_id, c.chunk_index LIMIT ${limit}`.execute(db)
  return rows
}

/** Puts vectors of one document in where it is still the one read. */
async function complete(parts: EngineParts, embedder: Embedder, of: readonly Lacking[]): Promise<void> {
  const [first] = of
  if (!first) return
  const { org, document_id, version } = first
  const vectors = await embedder.embed(of.map(({ title, section, text }) => embeddedText(title, section, text)))
  await parts.database.transaction(async (tx) => {
    await parts.numbers.enter(tx, org)
    const { rows } = await sql<{ document_id: string }>`UPDATE loom.knowledge_document SET index_rev = nextval('loom.index_rev')
      WHERE org = ${org} AND document_id = ${document_id} AND version = ${version} AND tombstoned_at IS NULL AND erased_by = ''
      RETURNING document_id`.execute(tx)
    if (rows.length === 0) return
    const made = of.flatMap(({ chunk_index: index }, at) => {
      const vector = vectors[at]
      return vector ? [{ index, vector }] : []
    })
    await putChunkVectors(tx, org, document_id, embedder.id, made)
  })
}

/** Gives every chunk a vector of the model in force. Each document is a transaction of its own, so it stops at any point. */
export const embedDocuments: Job = {
  name: EMBED_DOCUMENTS,
  // The search for such chunks reads the whole store; who makes one wakes the job.
  everyMs: 600_000,
  async run(parts, signal) {
    const { embedder } = parts.models
    if (!embedder || signal.aborted) return 'done'
    const lacking = await chunksWithout(parts.database.reader, embedder.id, BATCH)
    const documents = new Map<string, Lacking[]>()
    for (const chunk of lacking) {
      const name = `${chunk.org}/${chunk.document_id}`
      documents.set(name, [...(documents.get(name) ?? []), chunk])
    }
    for (const chunks of documents.values()) {
      if (signal.aborted) return 'done'
      await complete(parts, embedder, chunks)
    }
    if (lacking.length > 0) parts.log.info({ chunks: lacking.length, model: embedder.id }, 'made missing vectors of documents')
    return lacking.length < BATCH ? 'done' : 'again'
  },
}
