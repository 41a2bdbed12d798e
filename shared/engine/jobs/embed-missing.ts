import { sql } from 'kysely'
import { DIGEST_KEY } from '../../domain/claim/excerpt.ts'
import type { Reader } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import type { Embedder } from '../ports.ts'
import { indexRows } from '../store/index-rows.ts'
import { addKeyVector, replaceVectors } from '../store/attachments.ts'
import { headsById, type Head } from '../store/memories.ts'
import { contentOfHead } from '../write/content.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import type { Job } from './job.ts'

export const EMBED_MISSING = 'embed_missing'
/** The search for such rows reads the whole store; a write notes its own. */
export const SWEEP_EVERY_MS = 600_000
const BATCH = 64
/** Rows of one transaction: few enough that no write waits for long. */
const AT_ONCE = 16

interface Lacking extends Head {
  readonly lacks_value: boolean
}

/**
 * Rows that search finds and that lack a vector of this model: that of the value, where they were written while no
 * model was loaded or before it changed; that of the key, which a write leaves for later.
 */
async function rowsWithout(db: Reader, model: string, among: { org: string; memoryIds: readonly string[] } | null): Promise<Lacking[]> {
  const lacks = (axis: 'value' | 'key') => sql<boolean>`NOT EXISTS (SELECT 1 FROM loom.memory_embedding e
    WHERE e.org = m.org AND e.memory_id = m.memory_id AND e.axis = ${sql.lit(axis)} AND e.model = ${model})`
  const named = among ? sql`m.org = ${among.org} AND m.memory_id = any(${[...among.memoryIds]}::text[]) AND` : sql``
  const { rows } = await sql<Lacking>`SELECT m.*, ${lacks('value')} AS lacks_value FROM loom.memory m
    WHERE ${named} m.erased_by = '' AND m.sensitivity <> 'high' AND m.memory_type IN ('semantic', 'procedural')
      AND m.status IN ('active', 'conflicted', 'duplicate', 'superseded', 'proposed') AND m.value IS NOT NULL AND m.content_sha256 <> ${ANONYMIZED_SHA256}
      AND (${lacks('value')} OR (m.memory_key !~ ${DIGEST_KEY.source} AND ${lacks('key')}))
    ORDER BY m.updated_at DESC LIMIT ${BATCH}`.execute(db)
  return rows
}

/** Vectors of one row, null where it has that one already. */
interface Made {
  readonly head: Lacking
  readonly value: Float32Array | null
  readonly key: Float32Array | null
}

async function embedRows(embedder: Embedder, heads: readonly Lacking[]): Promise<Made[]> {
  const contents = heads.map((head) => contentOfHead(head))
  const asked = heads.map((head, at) => ({
    value: head.lacks_value ? contents[at]?.indexed : undefined,
    key: contents[at]?.keyIndexed ? head.memory_key : undefined,
  }))
  const texts = asked.flatMap(({ value, key }) => [value, key].filter((text) => text !== undefined))
  // One call for all of them: a long one gives way to somebody who waits, between two texts.
  const vectors = (await embedder.embed(texts)).values()
  return heads.map((head, at) => ({
    head,
    value: asked[at]?.value === undefined ? null : (vectors.next().value ?? null),
    key: asked[at]?.key === undefined ? null : (vectors.next().value ?? null),
  }))
}

/** Puts vectors in where their row is still the one read. */
async function keep(parts: EngineParts, model: string, org: string, made: readonly Made[]): Promise<void> {
  const ids = made.map(({ head }) => head.memory_id)
  await parts.database.transaction(async (tx) => {
    const now = await headsById(tx, org, ids)
    for (const { head, value, key } of made) {
      if (now.get(head.memory_id)?.version !== head.version) continue
      // What is made of a row is of its number.
      await parts.numbers.stamp(tx, head.erasure_seq)
      if (head.lacks_value) await replaceVectors(tx, org, head.memory_id, { model, value, key }, false)
      else await addKeyVector(tx, org, head.memory_id, model, key)
    }
  })
  await indexRows(parts.database.reader, parts.index, org, ids, model)
}

async function complete(parts: EngineParts, embedder: Embedder, heads: readonly Lacking[], signal: AbortSignal): Promise<void> {
  for (const org of new Set(heads.map((head) => head.org))) {
    const made = await embedRows(
      embedder,
      heads.filter((head) => head.org === org),
    )
    for (let at = 0; at < made.length && !signal.aborted; at += AT_ONCE) await keep(parts, embedder.id, org, made.slice(at, at + AT_ONCE))
  }
}

/**
 * Gives every row the vectors of the model in force: those that writes noted, and now and then whatever the store
 * holds without, newest rows first. A batch is a transaction that checks that its rows are still those read, so the
 * job can stop at any point and never holds up a write.
 */
export const embedMissing: Job = {
  name: EMBED_MISSING,
  everyMs: SWEEP_EVERY_MS,
  async run(parts, signal) {
    const { models, unembedded, database, log } = parts
    const { embedder } = models
    if (!embedder || signal.aborted) return 'done'
    const noted = unembedded.take(BATCH)
    const isSweep = noted.memoryIds.length === 0
    const now = parts.clock()
    if (isSweep && !unembedded.isSweepDue(now)) return 'done'
    try {
      const heads = await rowsWithout(database.reader, embedder.id, isSweep ? null : noted)
      if (heads.length > 0) await complete(parts, embedder, heads, signal)
      else if (isSweep) unembedded.swept(now)
      log.debug({ rows: heads.length, model: embedder.id }, 'made missing vectors')
      return isSweep && heads.length === 0 ? 'done' : 'again'
    } catch (error) {
      for (const id of noted.memoryIds) unembedded.note(noted.org, id)
      throw error
    }
  },
}
