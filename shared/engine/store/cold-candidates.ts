import { sql } from 'kysely'
import { asciiOnly } from '../../domain/claim/stored-form.ts'
import type { Queryable } from '../db/database.ts'
import { encodeSignBits } from '../db/vector-bytes.ts'
import { isIndexed } from './index-rows.ts'

/** Rows that one leg may bring: enough for a page of the answer to be that of the whole index, nearly always. */
const MOST = 150
/** The longest terms say most. */
const MOST_TERMS = 16

interface Place {
  readonly org: string
  readonly namespaces: readonly string[]
}

const rowsIn = ({ org, namespaces }: Place) => sql`(SELECT org, memory_id, memory_key, value, tags FROM loom.memory
  WHERE org = ${org} AND namespace = any(${[...namespaces]}::text[]) AND ${isIndexed}) AS m`

/** Ids of the rows whose vectors of `model` have the fewest signs unlike the query's. */
async function byVector(db: Queryable, place: Place, vector: Float32Array, model: string): Promise<string[]> {
  const { rows } = await sql<{ memory_id: string }>`SELECT m.memory_id FROM ${rowsIn(place)}
    JOIN loom.memory_embedding e ON e.org = m.org AND e.memory_id = m.memory_id AND e.axis = 'value' AND e.model = ${model}
    ORDER BY e.code <~> ${encodeSignBits(vector)}::bit varying, m.memory_id LIMIT ${MOST}`.execute(db)
  return rows.map((row) => row.memory_id)
}

/** Ids of the rows whose value, key or tags have most of the terms, the rare ones counting more. */
async function byWords(db: Queryable, place: Place, terms: ReadonlySet<string>): Promise<string[]> {
  const asStored = [...terms].sort((a, b) => b.length - a.length).slice(0, MOST_TERMS)
  if (asStored.length === 0) return []
  const { rows } = await sql<{ memory_id: string }>`WITH
      held AS MATERIALIZED (SELECT m.memory_id, lower(m.value || ' ' || m.memory_key || ' ' || m.tags::text) AS text
        FROM ${rowsIn(place)}),
      has AS MATERIALIZED (SELECT held.memory_id, asked.term FROM held
        JOIN unnest(${asStored.map((term) => asciiOnly(term))}::text[]) AS asked(term) ON strpos(held.text, asked.term) > 0),
      rarity AS (SELECT term, 1 / ln(1 + count(*)) AS worth FROM has GROUP BY term)
    SELECT has.memory_id FROM has JOIN rarity USING (term)
    GROUP BY has.memory_id ORDER BY sum(rarity.worth) DESC, has.memory_id LIMIT ${MOST}`.execute(db)
  return rows.map((row) => row.memory_id)
}

/** Ids of the rows of some namespaces that the store itself finds near a query, in no order. */
export async function coldCandidates(
  db: Queryable,
  place: Place,
  query: { readonly terms: ReadonlySet<string>; readonly vector: Float32Array | null; readonly model: string | null },
): Promise<string[]> {
  const near = query.vector && query.model ? await byVector(db, place, query.vector, query.model) : []
  return [...new Set([...near, ...(await byWords(db, place, query.terms))])]
}
