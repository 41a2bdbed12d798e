import { sql } from 'kysely'
import type { EvidenceItem } from '../../contract/ops/memory/evidence.ts'
import { firstCharacters } from '../../domain/claim/claim-text.ts'
import type { ReadContext } from '../handler.ts'
import { withinBound } from '../identity.ts'
import { linksOf } from '../store/graph.ts'
import { claimOfHead } from '../store/head-claim.ts'
import { headsById, type Head } from '../store/memories.ts'
import { iso } from '../store/row-view.ts'
import { seenBy } from '../store/runs.ts'
import { isVerified } from '../write/state.ts'

const EXCERPT = 200
/** By these a link says that the row it starts from speaks for the one it leads to. */
const SPEAKS_FOR = new Set(['supports', 'evidence'])

type Items = Map<string, EvidenceItem[]>

function claimOf(head: Head): string {
  return head.sensitivity === 'high' || head.value === null ? '' : firstCharacters(claimOfHead(head), EXCERPT)
}

const isShown = (head: Head, { caller }: ReadContext): boolean =>
  head.status !== 'tombstoned' && head.status !== 'rejected' && withinBound(caller, head)

function attestations(head: Head): EvidenceItem[] {
  if (!isVerified(head)) return []
  return [{ kind: 'attestation', ref: head.verified_by, excerpt: '', at: iso(head.verified_at), actor: head.verified_by }]
}

interface Document {
  readonly document_id: string
  readonly document_key: string
  readonly title: string
  readonly updated_at: Date
  readonly actor: string
  readonly namespace: string
}

/** Documents that rows name as their source, as far as the caller may read them. */
async function documents(heads: readonly Head[], context: ReadContext): Promise<Map<string, Document>> {
  const named = [...new Set(heads.map((head) => head.source_resource_id).filter((id) => id !== ''))]
  if (named.length === 0) return new Map()
  const { rows } =
    await sql<Document>`SELECT d.document_id, d.document_key, d.title, d.updated_at, d.actor, d.namespace FROM loom.knowledge_document d
    WHERE d.org = ${context.identity.org} AND d.erased_by = '' AND d.tombstoned_at IS NULL AND d.sensitivity <> 'high' AND ${seenBy(context.caller, 'd')}
      AND (d.document_id = any(${named}::text[]) OR d.document_key = any(${named}::text[]))
    ORDER BY d.updated_at`.execute(context.db)
  return new Map(rows.flatMap((row) => [row.document_id, row.document_key].map((id) => [`${row.namespace}\n${id}`, row] as const)))
}

/** Where a row says itself that it comes from. */
function origins(head: Head, known: ReadonlyMap<string, Document>): EvidenceItem[] {
  const at = head.created_at.toISOString()
  const kind = head.source_class === 'imported' ? 'import' : 'resource'
  const named = known.get(`${head.namespace}\n${head.source_resource_id}`)
  const source: EvidenceItem[] =
    head.source_resource_id === ''
      ? []
      : named
        ? [
            {
              kind: 'document',
              ref: named.document_id,
              excerpt: firstCharacters(named.title, EXCERPT),
              at: named.updated_at.toISOString(),
              actor: named.actor,
            },
          ]
        : [{ kind, ref: head.source_resource_id, excerpt: '', at, actor: head.actor }]
  const trace: EvidenceItem[] = head.source_trace === '' ? [] : [{ kind, ref: head.source_trace, excerpt: '', at, actor: head.actor }]
  return [...source, ...trace]
}

/** Rows that speak for these: by a link, or because these were built from them. */
async function memories(heads: readonly Head[], context: ReadContext): Promise<Items> {
  const { db, identity } = context
  const ids = heads.map((head) => head.memory_id)
  const own = new Set(ids)
  const links = (await linksOf(db, identity.org, ids)).flatMap(({ from_id, to_id, relation, at }) => {
    if (own.has(to_id) && SPEAKS_FOR.has(relation)) return [{ id: to_id, source: from_id, at }]
    return own.has(from_id) && relation === 'derived_from' ? [{ id: from_id, source: to_id, at }] : []
  })
  const { rows } = await sql<{ id: string; source: string }>`SELECT s.memory_id AS id, s.source_id AS source FROM loom.memory_summary s
    JOIN loom.memory h ON h.org = s.org AND h.memory_id = s.memory_id AND h.version = s.version
    WHERE s.org = ${identity.org} AND s.memory_id = any(${ids}::text[]) ORDER BY s.source_id`.execute(db)
  const all = [...rows.map((row) => ({ ...row, at: null })), ...links]
  const sources = await headsById(
    db,
    identity.org,
    all.map(({ source }) => source),
  )
  const items: Items = new Map()
  for (const { id, source, at } of all) {
    const head = sources.get(source)
    const listed = items.get(id) ?? []
    if (!head || !isShown(head, context) || listed.some((item) => item.ref === head.memory_key)) continue
    listed.push({ kind: 'memory', ref: head.memory_key, excerpt: claimOf(head), at: iso(at ?? head.created_at), actor: head.actor })
    items.set(id, listed)
  }
  return items
}

interface UsingRun {
  readonly id: string
  readonly run_id: string
  readonly goal: string
  readonly grade: string
  readonly at: Date | null
  readonly actor: string
  readonly wrote: boolean
}

/** Runs that wrote a row, or used it, with how they were graded. */
async function runs(heads: readonly Head[], context: ReadContext): Promise<Items> {
  const { db, identity, caller } = context
  const ids = heads.map((head) => head.memory_id)
  const { rows } =
    await sql<UsingRun>`SELECT u.id, r.run_id, r.goal, r.grade, coalesce(r.completed_at, r.started_at) AS at, r.actor, bool_or(u.wrote) AS wrote
    FROM (SELECT DISTINCT v.memory_id AS id, v.namespace, v.run_id, true AS wrote FROM loom.memory_version v
        WHERE v.org = ${identity.org} AND v.memory_id = any(${ids}::text[]) AND v.run_id <> '' AND v.erased_by = ''
      UNION ALL SELECT m.memory_id, x.namespace, x.run_id, false FROM loom.memory m
        JOIN loom.run x ON x.org = m.org AND x.namespace = m.namespace AND x.memories_used @> ARRAY[m.memory_key]
        WHERE m.org = ${identity.org} AND m.memory_id = any(${ids}::text[])) AS u
    JOIN loom.run r ON r.org = ${identity.org} AND r.namespace = u.namespace AND r.run_id = u.run_id
    WHERE ${seenBy(caller, 'r')} GROUP BY u.id, r.run_id, r.goal, r.grade, r.completed_at, r.started_at, r.actor ORDER BY at DESC, r.run_id`.execute(
      db,
    )
  const items: Items = new Map()
  for (const { id, run_id: ref, goal, grade, at, actor, wrote } of rows) {
    const graded = grade === '' ? '' : `, graded ${grade}`
    const excerpt = firstCharacters(`${wrote ? 'wrote it' : 'used it'}${graded}${goal === '' ? '' : `: ${goal}`}`, EXCERPT)
    items.set(id, [...(items.get(id) ?? []), { kind: 'run', ref, excerpt, at: iso(at), actor }])
  }
  return items
}

/** Where rows come from, by memory_id: who vouches, what they name, what speaks for them, which runs wrote or used them. */
export async function evidenceItems(heads: readonly Head[], context: ReadContext): Promise<ReadonlyMap<string, EvidenceItem[]>> {
  const known = await documents(heads, context)
  const [told, used] = [await memories(heads, context), await runs(heads, context)]
  return new Map(
    heads.map((head) => [
      head.memory_id,
      [...attestations(head), ...origins(head, known), ...(told.get(head.memory_id) ?? []), ...(used.get(head.memory_id) ?? [])],
    ]),
  )
}
