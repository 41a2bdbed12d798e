import { sql, type RawBuilder } from 'kysely'
import type { Output } from '../../contract/declare.ts'
import type { Via, memoryRelated } from '../../contract/ops/memory/related.ts'
import { firstCharacters } from '../../domain/claim/claim-text.ts'
import { indexedText } from '../../domain/claim/excerpt.ts'
import { NEAR_SIMILARITY } from '../../domain/search/near.ts'
import { fold } from '../../domain/text/fold.ts'
import type { ReadContext } from '../handler.ts'
import { linksOf, triplesAround, type GraphTriple } from '../store/graph.ts'
import { claimOfHead } from '../store/head-claim.ts'
import type { Head } from '../store/memories.ts'
import { vectorsOf } from '../write/embed.ts'

export type RelatedRow = Output<typeof memoryRelated>['rows'][number]

/** From where one looks: rows, and names of things. */
export interface Around {
  readonly heads: readonly Head[]
  readonly names: readonly string[]
}

export interface Relative {
  readonly head: Head
  readonly via: Via
  readonly why: string
  readonly similarity: number
}

const EXCERPT = 200
const MOST_TRIPLES = 500
const MOST_NEAR = 50
/** A name that more rows than this share says nothing of any two of them. */
const MOST_OF_ENTITY = 200

export function relatedRow({ head, via, similarity }: Relative, why: readonly string[], distance: number): RelatedRow {
  return {
    memory_key: head.memory_key,
    memory_id: head.memory_id,
    excerpt: firstCharacters(claimOfHead(head), EXCERPT),
    status: head.status as RelatedRow['status'],
    via,
    why: [...why],
    similarity,
    distance,
  }
}

async function shownHeads(condition: RawBuilder<boolean>, shown: RawBuilder<boolean>, context: ReadContext): Promise<Map<string, Head>> {
  const { rows } = await sql<Head>`SELECT m.* FROM loom.memory m WHERE ${shown} AND m.value IS NOT NULL AND ${condition}
    ORDER BY m.updated_at DESC, m.memory_id LIMIT ${MOST_OF_ENTITY}`.execute(context.db)
  return new Map(rows.map((head) => [head.memory_id, head]))
}

const idsAre = (ids: readonly string[]): RawBuilder<boolean> => sql<boolean>`m.memory_id = any(${[...ids]}::text[])`

async function byLinks({ heads }: Around, shown: RawBuilder<boolean>, context: ReadContext): Promise<Relative[]> {
  const own = new Map(heads.map((head) => [head.memory_id, head.memory_key]))
  const links = await linksOf(context.db, context.identity.org, [...own.keys()])
  const found = await shownHeads(idsAre(links.flatMap((link) => [link.from_id, link.to_id])), shown, context)
  return links.flatMap(({ from_id: from, to_id: to, relation }): Relative[] => {
    const other = found.get(own.has(from) ? to : from)
    if (!other) return []
    const why = own.has(from) ? `links to: ${relation}` : `linked from: ${relation}`
    return [{ head: other, via: 'link', why, similarity: 0 }]
  })
}

async function byTriples(
  { heads, names }: Around,
  triples: readonly GraphTriple[],
  shown: RawBuilder<boolean>,
  context: ReadContext,
): Promise<Relative[]> {
  const own = new Set(heads.map((head) => head.memory_id))
  const wanted = new Set(names)
  const found = await shownHeads(idsAre(triples.map((triple) => triple.memory_id)), shown, context)
  return triples.flatMap((triple): Relative[] => {
    const head = found.get(triple.memory_id)
    const shared = [triple.subject, triple.object].filter((thing) => wanted.has(fold(thing)))
    if (!head || own.has(triple.memory_id) || shared.length === 0) return []
    return [{ head, via: 'triple', why: `triple: ${triple.subject} ${triple.predicate} ${triple.object}`, similarity: 0 }]
  })
}

async function byEntities(names: readonly string[], shown: RawBuilder<boolean>, context: ReadContext): Promise<Relative[]> {
  if (names.length === 0) return []
  const found = await shownHeads(sql<boolean>`m.entities && ${[...names]}::text[]`, shown, context)
  const shared = (head: Head): string[] => head.entities.filter((entity) => names.includes(entity))
  return [...found.values()]
    .toSorted((a, b) => shared(b).length - shared(a).length)
    .map((head) => ({ head, via: 'entity', why: `entity: ${shared(head).join(', ')}`, similarity: 0 }))
}

/** Rows whose meaning is near, by the row's own vector; where there is none, rows that have half of its words. */
async function byMeaning(head: Head, shown: RawBuilder<boolean>, context: ReadContext): Promise<Relative[]> {
  if (head.value === null || head.sensitivity === 'high') return []
  const { parts, identity } = context
  const text = indexedText(claimOfHead(head), head.memory_key)
  const made = await vectorsOf([text], context)
  await parts.follower.catchUp(identity.org)
  const peers = parts.index.peers({
    org: identity.org,
    namespace: head.namespace,
    text,
    vector: made?.vectors[0] ?? null,
    accept: (doc) => doc.searchable && doc.memoryId !== head.memory_id,
    limit: MOST_NEAR,
  })
  const near = peers.filter((peer) => peer.similarity >= NEAR_SIMILARITY || (!made && peer.coverage >= 0.5))
  const found = await shownHeads(idsAre(near.map((peer) => peer.memoryId)), shown, context)
  return near.flatMap(({ memoryId, similarity }): Relative[] => {
    const other = found.get(memoryId)
    return other
      ? [{ head: other, via: 'meaning', why: similarity > 0 ? `meaning ${similarity.toFixed(2)}` : 'shares its words', similarity }]
      : []
  })
}

async function byKey(head: Head, shown: RawBuilder<boolean>, context: ReadContext): Promise<Relative[]> {
  const prefix = head.memory_key.slice(0, head.memory_key.lastIndexOf('/') + 1)
  if (prefix === '') return []
  const found = await shownHeads(sql<boolean>`starts_with(m.memory_key, ${prefix})`, shown, context)
  return [...found.values()].map((other) => ({ head: other, via: 'key', why: `key: ${prefix}`, similarity: 0 }))
}

/** Triples around rows and names, and the names that stand in them. */
export async function graphAround(around: Around, shown: RawBuilder<boolean>, context: ReadContext): Promise<GraphTriple[]> {
  const ids = around.heads.map((head) => head.memory_id)
  return triplesAround(context.db, context.identity.org, shown, { names: around.names, ids }, MOST_TRIPLES)
}

export const namesIn = (triples: readonly GraphTriple[]): string[] => [
  ...new Set(triples.flatMap(({ subject, object }) => [fold(subject), fold(object)])),
]

/** Rows that are tied to others by what somebody stated, the strongest tie first. */
export async function statedRelatives(
  around: Around,
  triples: readonly GraphTriple[],
  shown: RawBuilder<boolean>,
  context: ReadContext,
): Promise<Relative[]> {
  return [
    ...(await byLinks(around, shown, context)),
    ...(await byTriples(around, triples, shown, context)),
    ...(await byEntities(around.names, shown, context)),
  ]
}

/** Rows that are near one row by what it says, and by where it is kept. */
export async function nearRelatives(head: Head, shown: RawBuilder<boolean>, context: ReadContext): Promise<Relative[]> {
  return [...(await byMeaning(head, shown, context)), ...(await byKey(head, shown, context))]
}
