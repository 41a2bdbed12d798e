import { sql } from 'kysely'
import { parseJson } from '../../contract/json.ts'
import type { Json } from '../../domain/claim/json.ts'
import type { Reader } from '../db/database.ts'
import { indexedRowsOf } from '../store/index-rows.ts'
import { replaceVectors } from '../store/attachments.ts'
import { headById, type Head } from '../store/memories.ts'
import { contentOf } from '../write/content.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import type { Job } from './job.ts'

export const EMBED_MISSING = 'embed_missing'
const BATCH = 64

/** Rows that search finds and that have no vector of this model: written while no model was loaded, or before it changed. */
async function rowsWithout(db: Reader, model: string, limit: number): Promise<Head[]> {
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m
    WHERE m.erased_by = '' AND m.sensitivity <> 'high' AND m.memory_type IN ('semantic', 'procedural')
      AND m.status IN ('active', 'conflicted', 'duplicate', 'superseded', 'proposed') AND m.value IS NOT NULL AND m.content_sha256 <> ${ANONYMIZED_SHA256}
      AND NOT EXISTS (SELECT 1 FROM loom.memory_embedding e
        WHERE e.org = m.org AND e.memory_id = m.memory_id AND e.axis = 'value' AND e.model = ${model})
    ORDER BY m.updated_at DESC LIMIT ${limit}`.execute(db)
  return rows
}

/**
 * Gives every row a vector of the model in force, newest rows first. Each row is a transaction of its own that checks
 * that the row is still the one read, so the job can stop at any point and never holds up a write.
 */
export const embedMissing: Job = {
  name: EMBED_MISSING,
  // The search for such rows reads the whole store; who makes one wakes the job.
  everyMs: 600_000,
  async run(parts, signal) {
    const { database, log } = parts
    const { embedder } = parts.models
    if (!embedder || signal.aborted) return 'done'
    const heads = await rowsWithout(database.reader, embedder.id, BATCH)
    if (heads.length === 0) return 'done'
    const contents = heads.map((head) => contentOf(head.memory_key, parseJson(head.value ?? 'null') as Json, 0))
    // One call for all of them: a long one gives way to somebody who waits, between two texts.
    const vectors = await embedder.embed(contents.flatMap((content) => [content.indexed, content.key]))
    for (const [at, head] of heads.entries()) {
      if (signal.aborted) return 'done'
      const value = vectors[at * 2]
      const key = contents[at]?.keyIndexed ? vectors[at * 2 + 1] : null
      await database.transaction(async (tx) => {
        const now = await headById(tx, head.org, head.memory_id)
        if (now?.version === head.version)
          await replaceVectors(tx, head.org, head.memory_id, { model: embedder.id, value: value ?? null, key: key ?? null }, false)
      })
      const fresh = await headById(database.reader, head.org, head.memory_id)
      const [row] = fresh ? await indexedRowsOf(database.reader, fresh.org, [fresh], embedder.id) : []
      if (row) parts.index.upsert(row)
    }
    log.info({ rows: heads.length, model: embedder.id }, 'made missing vectors')
    return 'again'
  },
}
