import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'

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
        erasure_seq: 0n,
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

export interface Vectors {
  readonly model: string
  readonly value: Float32Array | null
  readonly key: Float32Array | null
}

/** Sign bits of a vector, as text for `bit varying`. */
function codeText(vector: Float32Array): string {
  let text = ''
  for (const part of vector) text += part > 0 ? '1' : '0'
  return text
}

/** A vector as text, with the digits that a half float can hold. */
function vectorText(vector: Float32Array): string {
  const parts: string[] = []
  for (const part of vector) parts.push(part.toPrecision(5))
  return `[${parts.join(',')}]`
}

/** Row and vector change in one transaction. No vectors: those that the row had go. */
export async function replaceVectors(tx: Tx, org: string, memoryId: string, vectors: Vectors | null, isNew: boolean): Promise<void> {
  if (!isNew) await tx.deleteFrom('memory_embedding').where('org', '=', org).where('memory_id', '=', memoryId).execute()
  const axes = [
    { axis: 'value', vector: vectors?.value ?? null },
    { axis: 'key', vector: vectors?.key ?? null },
  ].filter((entry): entry is { axis: string; vector: Float32Array } => entry.vector !== null)
  if (axes.length === 0 || vectors === null) return
  await sql`INSERT INTO loom.memory_embedding (org, memory_id, axis, model, code, vec)
    SELECT ${org}, ${memoryId}, e.axis, ${vectors.model}, e.code::bit varying, e.vec::halfvec
    FROM unnest(${axes.map((entry) => entry.axis)}::text[], ${axes.map((entry) => codeText(entry.vector))}::text[],
                ${axes.map((entry) => vectorText(entry.vector))}::text[]) AS e(axis, code, vec)`.execute(tx)
}

/** Raises the reinforcement of a row, outside its version chain. */
export async function reinforce(tx: Tx, org: string, memoryId: string): Promise<void> {
  await sql`INSERT INTO loom.memory_usage (org, memory_id, reinforcement_count) VALUES (${org}, ${memoryId}, 1)
    ON CONFLICT (org, memory_id) DO UPDATE SET reinforcement_count = memory_usage.reinforcement_count + 1`.execute(tx)
}
