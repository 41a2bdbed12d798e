import { CompiledQuery, sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import { encodeHalfvec, encodeSignBits } from '../db/vector-bytes.ts'

/** What hangs on a row by its memory_id: chunks, triples, vectors, counters. */

export type Triple = readonly [string, string, string]

export async function replaceChunks(tx: Tx, org: string, memoryId: string, chunks: readonly string[], had: number): Promise<void> {
  if (had > 0) await tx.deleteFrom('memory_chunk').where('org', '=', org).where('memory_id', '=', memoryId).execute()
  if (chunks.length === 0) return
  await sql`INSERT INTO loom.memory_chunk (org, memory_id, position, text)
    SELECT ${org}, ${memoryId}, c.position - 1, c.text FROM unnest(${[...chunks]}::text[]) WITH ORDINALITY AS c(text, position)`.execute(tx)
}

export async function replaceTriples(tx: Tx, org: string, memoryId: string, triples: readonly Triple[], isNew: boolean): Promise<void> {
  if (!isNew) await tx.deleteFrom('memory_relation').where('org', '=', org).where('memory_id', '=', memoryId).execute()
  await insertTriples(tx, org, memoryId, triples, 0)
}

/** Adds the triples that the row does not have yet. */
export async function addTriples(tx: Tx, org: string, memoryId: string, triples: readonly Triple[]): Promise<void> {
  if (triples.length === 0) return
  const had = await triplesOf(tx, org, memoryId)
  const known = new Set(had.map((triple) => JSON.stringify(triple)))
  const added = triples.filter((triple) => !known.has(JSON.stringify(triple)))
  await insertTriples(tx, org, memoryId, added, had.length)
}

async function insertTriples(tx: Tx, org: string, memoryId: string, triples: readonly Triple[], from: number): Promise<void> {
  if (triples.length === 0) return
  await tx
    .insertInto('memory_relation')
    .values(
      triples.map(([subject, predicate, object], at) => ({
        org,
        memory_id: memoryId,
        position: from + at,
        subject,
        predicate,
        object,
      })),
    )
    .execute()
}

export async function triplesOf(db: Queryable, org: string, memoryId: string): Promise<Triple[]> {
  const rows = await db
    .selectFrom('memory_relation')
    .select(['subject', 'predicate', 'object'])
    .where('org', '=', org)
    .where('memory_id', '=', memoryId)
    .orderBy('position')
    .execute()
  return rows.map((row) => [row.subject, row.predicate, row.object])
}

/** The triples of several rows, by memory_id. */
export async function triplesOfMany(db: Queryable, org: string, memoryIds: readonly string[]): Promise<Map<string, Triple[]>> {
  const byId = new Map<string, Triple[]>()
  if (memoryIds.length === 0) return byId
  const rows = await db
    .selectFrom('memory_relation')
    .select(['memory_id', 'subject', 'predicate', 'object'])
    .where('org', '=', org)
    .where('memory_id', 'in', [...memoryIds])
    .orderBy('position')
    .execute()
  for (const { memory_id, subject, predicate, object } of rows)
    byId.set(memory_id, [...(byId.get(memory_id) ?? []), [subject, predicate, object]])
  return byId
}

export interface Vectors {
  readonly model: string
  readonly value: Float32Array | null
  readonly key: Float32Array | null
}

/** Row and vector change in one transaction. No vectors: those that the row had go. */
export async function replaceVectors(tx: Tx, org: string, memoryId: string, vectors: Vectors | null, isNew: boolean): Promise<void> {
  if (!isNew) await tx.deleteFrom('memory_embedding').where('org', '=', org).where('memory_id', '=', memoryId).execute()
  if (vectors === null) return
  const { model, value, key } = vectors
  await insertVectors(tx, org, memoryId, model, { ...(value && { value }), ...(key && { key }) })
}

/** The vector of a key, for a row that has that of its value already. */
export async function addKeyVector(tx: Tx, org: string, memoryId: string, model: string, key: Float32Array | null): Promise<void> {
  if (!key) return
  await tx.deleteFrom('memory_embedding').where('org', '=', org).where('memory_id', '=', memoryId).where('axis', '=', 'key').execute()
  await insertVectors(tx, org, memoryId, model, { key })
}

const INSERT_VECTOR = `INSERT INTO loom.memory_embedding (org, memory_id, axis, model, code, vec)
  VALUES ($1, $2, $3, $4, $5::bit varying, $6::halfvec)`

/** Most writes leave one: building the statement anew takes as long as running it. */
async function insertVectors(tx: Tx, org: string, memoryId: string, model: string, axes: Record<string, Float32Array>): Promise<void> {
  for (const [axis, vector] of Object.entries(axes)) {
    const values = [org, memoryId, axis, model, encodeSignBits(vector), encodeHalfvec(vector)]
    await tx.executeQuery(CompiledQuery.raw(INSERT_VECTOR, values))
  }
}

/** Raises the reinforcement of a row, outside its version chain. */
export async function reinforce(tx: Tx, org: string, memoryId: string): Promise<void> {
  await sql`INSERT INTO loom.memory_usage (org, memory_id, reinforcement_count) VALUES (${org}, ${memoryId}, 1)
    ON CONFLICT (org, memory_id) DO UPDATE SET reinforcement_count = memory_usage.reinforcement_count + 1`.execute(tx)
}
