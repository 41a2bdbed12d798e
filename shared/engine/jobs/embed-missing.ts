import { sql } from 'kysely'
import { parseJson } from '../../contract/json.ts'
import type { Json } from '../../domain/claim/json.ts'
import { DIGEST_KEY } from '../../domain/claim/excerpt.ts'
import type { Reader } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import type { Embedder } from '../ports.ts'
import { indexRows } from '../store/index-rows.ts'
import { addKeyVector, replaceVectors } from '../store/attachments.ts'
import { headById, type Head } from '../store/memories.ts'
import { contentOf } from '../write/content.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import type { Job } from './job.ts'

export const EMBED_MISSING = 'embed_missing'
const BATCH = 64

interface Lacking extends Head {
  readonly lacks_value: boolean
}

/**
 * Rows that search finds and that lack a vector of this model: that of the value, where they were written while no
 * model was loaded or before it changed; that of the key, where a bulk write left it for later.
 */
async function rowsWithout(db: Reader, model: string, limit: number): Promise<Lacking[]> {
  const lacks = (axis: 'value' | 'key') => sql<boolean>`NOT EXISTS (SELECT 1 FROM loom.memory_embedding e
    WHERE e.org = m.org AND e.memory_id = m.memory_id AND e.axis = ${sql.lit(axis)} AND e.model = ${model})`
  const { rows } = await sql<Lacking>`SELECT m.*, ${lacks('value')} AS lacks_value FROM loom.memory m
    WHERE m.erased_by = '' AND m.sensitivity <> 'high' AND m.memory_type IN ('semantic', 'procedural')
      AND m.status IN ('active', 'conflicted', 'duplicate', 'superseded', 'proposed') AND m.value IS NOT NULL AND m.content_sha256 <> ${ANONYMIZED_SHA256}
      AND (${lacks('value')} OR (m.memory_key !~ ${DIGEST_KEY.source} AND ${lacks('key')}))
    ORDER BY m.updated_at DESC LIMIT ${limit}`.execute(db)
  return rows
}

/** Makes what a row lacks, and puts it in where the row is still the one read. */
async function complete(parts: EngineParts, embedder: Embedder, heads: readonly Lacking[], signal: AbortSignal): Promise<void> {
  const contents = heads.map((head) => contentOf(head.memory_key, parseJson(head.value ?? 'null') as Json, 0))
  const asked = heads.map((head, at) => ({
    value: head.lacks_value ? contents[at]?.indexed : undefined,
    key: contents[at]?.keyIndexed ? head.memory_key : undefined,
  }))
  const texts = asked.flatMap(({ value, key }) => [value, key].filter((text) => text !== undefined))
  // One call for all of them: a long one gives way to somebody who waits, between two texts.
  const vectors = (await embedder.embed(texts)).values()
  for (const [at, head] of heads.entries()) {
    const value = asked[at]?.value === undefined ? null : (vectors.next().value ?? null)
    const key = asked[at]?.key === undefined ? null : (vectors.next().value ?? null)
    if (signal.aborted) return
    await parts.database.transaction(async (tx) => {
      const now = await headById(tx, head.org, head.memory_id)
      if (now?.version !== head.version) return
      if (head.lacks_value) await replaceVectors(tx, head.org, head.memory_id, { model: embedder.id, value, key }, false)
      else await addKeyVector(tx, head.org, head.memory_id, embedder.id, key)
    })
    await indexRows(parts.database.reader, parts.index, head.org, [head.memory_id], embedder.id)
  }
}

/**
 * Gives every row the vectors of the model in force, newest rows first. Each row is a transaction of its own that
 * checks that the row is still the one read, so the job can stop at any point and never holds up a write.
 */
export const embedMissing: Job = {
  name: EMBED_MISSING,
  // The search for such rows reads the whole store; who makes one wakes the job.
  everyMs: 600_000,
  async run(parts, signal) {
    const { embedder } = parts.models
    if (!embedder || signal.aborted) return 'done'
    const heads = await rowsWithout(parts.database.reader, embedder.id, BATCH)
    if (heads.length === 0) return 'done'
    await complete(parts, embedder, heads, signal)
    parts.log.info({ rows: heads.length, model: embedder.id }, 'made missing vectors')
    return 'again'
  },
}
