import { sql } from 'kysely'
import type { REINDEX_PARTS } from '../../contract/ops/memory/reindex.ts'
import { claimText } from '../../domain/claim/claim-text.ts'
import { extractEntities } from '../../domain/claim/entities.ts'
import type { Queryable, Tx } from '../db/database.ts'
import type { EngineParts } from '../parts.ts'
import { replaceChunks, replaceVectors, type Vectors } from '../store/attachments.ts'
import { headById, type Head } from '../store/memories.ts'
import { indexRows } from '../store/index-rows.ts'
import { sha256 } from '../store/sha256.ts'
import { ANONYMIZED_SHA256 } from '../write/anonymized.ts'
import { contentOfHead, type Content } from '../write/content.ts'
import { isEmbedded } from '../write/embed.ts'
import { fillEntities } from './entity-extractor.ts'
import { noteText, type Job, type JobNotes } from './job.ts'
import { movePiece, nextPiece, type Piece } from './queue.ts'
import { isOfServer } from './worker-write.ts'

export const REINDEX = 'reindex'
const BATCH = 32

type Part = (typeof REINDEX_PARTS)[number]

/** What is built anew: parts of the rows of a namespace, of all or of some keys. */
export interface ReindexScope {
  readonly org: string
  readonly namespace: string
  readonly what: 'all' | Part
  readonly keys: readonly string[]
}

/** How far it is. */
export interface Progress {
  readonly job_id: string
  readonly state: 'queued' | 'running'
  readonly rows_total: number
  readonly rows_done: number
}

const jobId = ({ org, namespace, what, keys }: ReindexScope): string => {
  const named = keys.length === 0 ? '*' : sha256(JSON.stringify([...keys].sort())).slice(0, 16)
  return [REINDEX, org, namespace, what, named].join('/')
}

/** Rows that search may hold, whatever it holds now. */
const inScope = ({ org, namespace, keys }: ReindexScope) => sql`org = ${org} AND namespace = ${namespace} AND erased_by = ''
  AND status IN ('active', 'conflicted', 'duplicate', 'superseded', 'proposed') AND value IS NOT NULL AND content_sha256 <> ${ANONYMIZED_SHA256}
  AND (${keys.length === 0} OR memory_key = any(${[...keys]}::text[]))`

export async function progressOf(db: Queryable, scope: ReindexScope): Promise<Progress | null> {
  const row = await db.selectFrom('job').select('state').where('job_id', '=', jobId(scope)).executeTakeFirst()
  if (!row) return null
  const notes = row.state as JobNotes
  const count = (name: string): number => (typeof notes[name] === 'number' ? notes[name] : 0)
  const state = noteText(notes, 'after') === '' ? 'queued' : 'running'
  return { job_id: jobId(scope), state, rows_total: count('total'), rows_done: count('done') }
}

/** Queues the work; a job of the same scope that is there already is left to go on. */
export async function queueReindex(tx: Tx, scope: ReindexScope, now: Date): Promise<Progress> {
  const { rows } = await sql<{ total: number }>`SELECT count(*)::int AS total FROM loom.memory WHERE ${inScope(scope)}`.execute(tx)
  const total = rows[0]?.total ?? 0
  const { org, namespace, what, keys } = scope
  await tx
    .insertInto('job')
    .values({
      job_id: jobId(scope),
      worker: REINDEX,
      org,
      namespace,
      state: JSON.stringify({ what, keys, total, done: 0, after: '' }),
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await progressOf(tx, scope)) ?? { job_id: jobId(scope), state: 'queued', rows_total: total, rows_done: 0 }
}

function scopeOfPiece({ org, namespace, notes }: Piece): ReindexScope {
  const keys = Array.isArray(notes['keys']) ? (notes['keys'] as readonly string[]) : []
  return { org, namespace, what: noteText(notes, 'what') as ReindexScope['what'], keys }
}

const takes = ({ what }: ReindexScope, part: Part): boolean => what === 'all' || what === part

async function vectorsOfRows(heads: readonly Head[], contents: readonly Content[], parts: EngineParts): Promise<(Vectors | null)[]> {
  const { embedder } = parts.models
  if (!embedder) return heads.map(() => null)
  const asked = heads.map((head, at) => {
    const content = contents[at]
    if (!content || !isEmbedded(head.memory_type, head.sensitivity)) return []
    return [content.indexed, ...(content.keyIndexed ? [head.memory_key] : [])]
  })
  const made = (await embedder.embed(asked.flat())).values()
  return asked.map((texts) => {
    if (texts.length === 0) return null
    const value = made.next().value ?? null
    return { model: embedder.id, value, key: texts.length > 1 ? (made.next().value ?? null) : null }
  })
}

/** Builds one row anew, where it still is the one read; what search holds is exchanged at once. */
async function rebuild(head: Head, content: Content, vectors: Vectors | null, scope: ReindexScope, parts: EngineParts): Promise<void> {
  const embeds = takes(scope, 'embeddings') && (vectors !== null || !isEmbedded(head.memory_type, head.sensitivity))
  await parts.database.transaction(async (tx) => {
    const now = await headById(tx, head.org, head.memory_id)
    if (now?.version !== head.version) return
    if (embeds) await replaceVectors(tx, head.org, head.memory_id, vectors, false)
    if (!takes(scope, 'lexical')) return
    await replaceChunks(tx, head.org, head.memory_id, content.chunks, 1)
    if (content.chunks.length === head.chunks) return
    await tx
      .updateTable('memory')
      .set({ chunks: content.chunks.length })
      .where('org', '=', head.org)
      .where('memory_id', '=', head.memory_id)
      .execute()
  })
  if (takes(scope, 'entities') && head.entities.length === 0 && head.sensitivity !== 'high' && !isOfServer(parts, head.org)) {
    const entities = extractEntities(claimText(content.value))
    if (entities.length > 0) await fillEntities(parts, head, entities)
  }
  await indexRows(parts.database.reader, parts.index, head.org, [head.memory_id], parts.models.embedder?.id ?? null)
}

/**
 * Rebuilds what search holds of rows, in order of their ids, and notes how far it is after each batch: a stop at any point
 * is taken up there. No version is touched.
 */
export const reindex: Job = {
  name: REINDEX,
  everyMs: 60_000,
  async run(parts, signal) {
    const piece = await nextPiece(parts.database.reader, REINDEX)
    if (!piece) return 'done'
    const scope = scopeOfPiece(piece)
    const place = `${scope.org}/${scope.namespace}`
    parts.rebuilding.add(place)
    try {
      const { rows } = await sql<Head>`SELECT * FROM loom.memory WHERE ${inScope(scope)} AND memory_id > ${noteText(piece.notes, 'after')}
        ORDER BY memory_id LIMIT ${BATCH}`.execute(parts.database.reader)
      const contents = rows.map((head) => contentOfHead(head))
      const vectors = takes(scope, 'embeddings') ? await vectorsOfRows(rows, contents, parts) : rows.map(() => null)
      for (const [at, head] of rows.entries()) {
        if (signal.aborted) return 'done'
        const content = contents[at]
        if (content) await rebuild(head, content, vectors[at] ?? null, scope, parts)
      }
      const done = (typeof piece.notes['done'] === 'number' ? piece.notes['done'] : 0) + rows.length
      const notes = rows.length === BATCH ? { ...piece.notes, done, after: rows.at(-1)?.memory_id ?? '' } : null
      await parts.database.transaction((tx) => movePiece(tx, piece, notes, new Date(parts.clock())))
    } finally {
      parts.rebuilding.delete(place)
    }
    return 'again'
  },
}
