import { sql } from 'kysely'
import type { Queryable, Tx } from '../db/database.ts'
import { sha256 } from './sha256.ts'

/** Vectors of a dry run are kept for the write that follows it, so long. */
const KEPT_MS = 24 * 60 * 60 * 1000

interface Place {
  readonly org: string
  readonly namespace: string
}

const bytesOf = (vector: Float32Array): Uint8Array => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
const vectorOf = (bytes: Uint8Array): Float32Array => new Float32Array(Uint8Array.from(bytes).buffer)

/** The kept vectors of texts, by text. */
export async function keptVectors(
  db: Queryable,
  { org, namespace }: Place,
  model: string,
  texts: readonly string[],
): Promise<Map<string, Float32Array>> {
  const names = new Map(texts.map((text) => [sha256(text), text]))
  if (names.size === 0) return new Map()
  const { rows } = await sql<{ text_sha256: string; vec: Uint8Array }>`SELECT text_sha256, vec FROM loom.embedding_cache
    WHERE org = ${org} AND namespace = ${namespace} AND model = ${model} AND text_sha256 = any(${[...names.keys()]}::text[])`.execute(db)
  return new Map(rows.map((row) => [names.get(row.text_sha256) ?? '', vectorOf(row.vec)]))
}

/** Keeps vectors of texts for a day; those that are older go. */
export async function keepVectors(
  tx: Tx,
  { org, namespace }: Place,
  model: string,
  vectors: ReadonlyMap<string, Float32Array>,
  now: Date,
): Promise<void> {
  await sql`DELETE FROM loom.embedding_cache WHERE org = ${org} AND at <= ${new Date(now.getTime() - KEPT_MS)}`.execute(tx)
  if (vectors.size === 0) return
  const rows = [...vectors].map(
    ([text, vector]) => sql`(${org}, ${namespace}, ${model}, ${sha256(text)}, ${bytesOf(vector)}::bytea, ${now}::timestamptz)`,
  )
  await sql`INSERT INTO loom.embedding_cache (org, namespace, model, text_sha256, vec, at) VALUES ${sql.join(rows)}
    ON CONFLICT (org, namespace, model, text_sha256) DO UPDATE SET at = excluded.at`.execute(tx)
}
