import { sql, type RawBuilder } from 'kysely'
import type { Output } from '../../contract/declare.ts'
import type { memoryStats } from '../../contract/ops/memory/stats.ts'
import type { ReadContext } from '../handler.ts'
import { RESTORABLE_MS } from '../store/row-view.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import { inSelector, isLiveRow } from './rows-in-scope.ts'

type Stats = Output<typeof memoryStats>

/** Every value of each enumeration, so that zeros are shown. */
const VALUES = {
  status: ['active', 'conflicted', 'duplicate', 'superseded', 'rejected', 'proposed', 'redirect', 'tombstoned'],
  memory_type: ['semantic', 'episodic', 'profile', 'procedural'],
  sensitivity: ['high', 'medium', 'low', ''],
  source_class: ['user', 'agent', 'system', 'external', 'imported', 'derived'],
} as const

export async function countsBy(
  column: keyof typeof VALUES,
  where: RawBuilder<unknown>,
  context: ReadContext,
): Promise<Record<string, number>> {
  const { rows } = await sql<{
    name: string
    count: number
  }>`SELECT ${sql.ref(`m.${column}`)} AS name, count(*)::int AS count FROM loom.memory m
    WHERE ${where} GROUP BY 1`.execute(context.db)
  const counted = new Map(rows.map((row) => [row.name, row.count]))
  return Object.fromEntries(VALUES[column].map((name) => [name, counted.get(name) ?? 0]))
}

/** Tags without case, spelt as most used. */
export async function mostUsedTags(where: RawBuilder<unknown>, top: number, context: ReadContext): Promise<Stats['by_tag']> {
  const { rows } = await sql<
    Stats['by_tag'][number]
  >`SELECT mode() WITHIN GROUP (ORDER BY t) AS name, count(DISTINCT m.memory_id)::int AS count
    FROM loom.memory m, unnest(m.tags) AS t WHERE ${where} GROUP BY lower(normalize(t)) ORDER BY count DESC, lower(normalize(t)) LIMIT ${top}`.execute(
    context.db,
  )
  return rows
}

export async function busiestAgents(where: RawBuilder<unknown>, top: number, context: ReadContext): Promise<Stats['by_agent']> {
  const { rows } = await sql<Stats['by_agent'][number]>`SELECT m.agent AS name, count(*)::int AS count FROM loom.memory m
    WHERE ${where} GROUP BY m.agent ORDER BY count DESC, m.agent LIMIT ${top}`.execute(context.db)
  return rows
}

const WEEK_MS = 7 * 24 * 3600 * 1000

/** Counts of live rows by what they are, and of what may be restored. */
export async function tallies(context: ReadContext) {
  const { now } = context
  const live = isLiveRow(now)
  const after = (ms: number): Date => new Date(now.getTime() + ms)
  const { rows } = await sql<{
    total: number
    pinned: number
    locked: number
    provisional: number
    unverified_external: number
    expiring_7d: number
    restorable: number
    proposals_open: number
    oldest: Date | null
    newest: Date | null
  }>`SELECT count(*) FILTER (WHERE ${live})::int AS total,
    count(*) FILTER (WHERE ${live} AND m.pinned)::int AS pinned,
    count(*) FILTER (WHERE ${live} AND m.lock_mode <> '' AND (m.lock_until IS NULL OR m.lock_until > ${now}))::int AS locked,
    count(*) FILTER (WHERE ${live} AND m.provisional)::int AS provisional,
    count(*) FILTER (WHERE ${live} AND m.source_class = 'external' AND (m.verified_by = '' OR m.verified_sha256 <> m.content_sha256))::int AS unverified_external,
    count(*) FILTER (WHERE ${live} AND m.expires_at <= ${after(WEEK_MS)})::int AS expiring_7d,
    count(*) FILTER (WHERE m.status = 'tombstoned' AND m.tombstoned_at >= ${after(-RESTORABLE_MS)})::int AS restorable,
    count(*) FILTER (WHERE m.status = 'proposed')::int AS proposals_open,
    min(m.created_at) FILTER (WHERE ${live}) AS oldest, max(m.updated_at) FILTER (WHERE ${live}) AS newest
    FROM loom.memory m WHERE ${inSelector(context)}`.execute(context.db)
  const [row] = rows
  if (!row) throw new Error('the rows could not be counted')
  return row
}

export async function openPairs(context: ReadContext): Promise<{ conflict: number; duplicate: number }> {
  const { rows } = await sql<{ kind: string; count: number }>`SELECT p.kind, count(*)::int AS count FROM loom.memory_pair p
    JOIN loom.memory m ON m.org = p.org AND m.memory_id = p.row_id
    WHERE p.state = 'open' AND ${inSelector(context)} GROUP BY p.kind`.execute(context.db)
  const of = (kind: string): number => rows.find((row) => row.kind === kind)?.count ?? 0
  return { conflict: of('conflict'), duplicate: of('duplicate') }
}

/** Bytes of what is stored, vectors as they lie in the store, and how far embedding is. */
export async function sizes(context: ReadContext) {
  const { db, now, parts } = context
  const model = parts.models.embedder?.id ?? ''
  const scope = inSelector(context)
  const { rows } = await sql<{
    value_bytes: number
    version_bytes: number
    vector_bytes: number
    chunk_bytes: number
    versions: number
  }>`SELECT
    (SELECT coalesce(sum(octet_length(m.value)), 0)::float8 FROM loom.memory m WHERE ${scope}) AS value_bytes,
    (SELECT coalesce(sum(octet_length(v.value)), 0)::float8 FROM loom.memory_version v JOIN loom.memory m ON m.org = v.org AND m.memory_id = v.memory_id
      WHERE ${scope} AND v.erased_by = '') AS version_bytes,
    (SELECT count(*)::int FROM loom.memory_version v JOIN loom.memory m ON m.org = v.org AND m.memory_id = v.memory_id WHERE ${scope} AND v.erased_by = '') AS versions,
    (SELECT coalesce(sum(pg_column_size(e.vec) + pg_column_size(e.code)), 0)::float8 FROM loom.memory_embedding e
      JOIN loom.memory m ON m.org = e.org AND m.memory_id = e.memory_id WHERE ${scope}) AS vector_bytes,
    (SELECT coalesce(sum(octet_length(c.text)), 0)::float8 FROM loom.memory_chunk c JOIN loom.memory m ON m.org = c.org AND m.memory_id = c.memory_id
      WHERE ${scope}) AS chunk_bytes`.execute(db)
  const { rows: vectors } = await sql<{ embedded: number; other_model: number; pending: number }>`SELECT
    count(e.model)::int AS embedded, count(*) FILTER (WHERE e.model <> ${model})::int AS other_model, count(*) FILTER (WHERE e.model IS NULL)::int AS pending
    FROM loom.memory m LEFT JOIN loom.memory_embedding e ON e.org = m.org AND e.memory_id = m.memory_id AND e.axis = 'value'
    WHERE ${scope} AND ${isLiveRow(now)} AND m.memory_type IN ('semantic', 'procedural') AND m.sensitivity <> 'high'
      AND m.value IS NOT NULL AND m.content_sha256 <> ${ANONYMIZED_SHA256}`.execute(db)
  const [size] = rows
  const [embedding] = vectors
  if (!size || !embedding) throw new Error('the sizes could not be read')
  return { size, embedding: { model, ...embedding } }
}
