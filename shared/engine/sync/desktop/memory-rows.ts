import { sql } from 'kysely'
import { parseJson } from '../../../contract/json.ts'
import { pairId } from '../../store/pairs.ts'
import type { Json } from '../../../domain/claim/json.ts'
import { stringifyJson } from '../../../contract/json.ts'
import type { Tx } from '../../db/database.ts'
import { replaceChunks } from '../../store/attachments.ts'
import { contentOf } from '../../write/content.ts'
import { upsertRows, type ShapeRow, textOf } from './rows.ts'

/** What the store changed, for what memory holds besides it. */
export interface Changed {
  /** memory_id of rows, by their namespace. */
  readonly memories: Map<string, { namespace: string; memory_key: string }>
  readonly namespaces: Set<string>
  /** Namespaces whose records or schemas changed. */
  readonly records: Set<string>
  /** Which of them came: vectors are still to be made. */
  readonly library: Set<'documents' | 'messages'>
  /** Greatest version pulled. */
  version: bigint
}

/** One transaction of the applier. */
export interface ApplyContext {
  readonly tx: Tx
  readonly org: string
  readonly now: Date
  readonly changed: Changed
  /** What comes stands also where it is older: the server starts over. */
  readonly isNewTruth?: boolean
}

export const nothingChanged = (): Changed => ({
  memories: new Map(),
  namespaces: new Set(),
  records: new Set(),
  library: new Set(),
  version: 0n,
})

export function noteMemory(changed: Changed, row: ShapeRow): void {
  changed.memories.set(textOf(row['memory_id']), { namespace: textOf(row['namespace']), memory_key: textOf(row['memory_key']) })
  noteVersion(changed, row)
}

export function noteVersion(changed: Changed, row: ShapeRow): void {
  const version = row['version'] === undefined || row['version'] === null ? 0n : BigInt(row['version'] as string | number)
  if (version > changed.version) changed.version = version
}

/** Puts whole rows of the server in place: vectors of another text go, and the pieces of a long one are cut anew. */
export async function putMemories(tx: Tx, org: string, rows: readonly ShapeRow[], changed: Changed): Promise<void> {
  if (rows.length === 0) return
  const ids = rows.map((row) => textOf(row['memory_id']))
  const hashes = rows.map((row) => textOf(row['content_sha256']))
  const { rows: stale } = await sql<{ memory_id: string }>`SELECT m.memory_id FROM loom.memory m
    JOIN unnest(${ids}::text[], ${hashes}::text[]) AS n(memory_id, hash) ON n.memory_id = m.memory_id
    WHERE m.org = ${org} AND m.content_sha256 <> n.hash`.execute(tx)
  await forgetVectors(
    tx,
    org,
    stale.map((row) => row.memory_id),
  )
  await upsertRows(tx, 'memory', rows)
  await followMemories(tx, org, rows, changed)
}

/** What hangs on whole rows that were put in place: the pieces of long ones, and what is told of all. */
export async function followMemories(tx: Tx, org: string, rows: readonly ShapeRow[], changed: Changed): Promise<void> {
  for (const row of rows) {
    noteMemory(changed, row)
    if (Number(row['chunks'] ?? 0) > 0) await cutChunks(tx, org, row)
  }
}

async function forgetVectors(tx: Tx, org: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  await sql`DELETE FROM loom.memory_embedding WHERE org = ${org} AND memory_id = any(${[...ids]}::text[])`.execute(tx)
  await sql`DELETE FROM loom.memory_chunk WHERE org = ${org} AND memory_id = any(${[...ids]}::text[])`.execute(tx)
}

async function cutChunks(tx: Tx, org: string, row: ShapeRow): Promise<void> {
  if (typeof row['value'] !== 'string') return
  const { chunks } = contentOf(textOf(row['memory_key']), parseJson(row['value']) as Json, 0)
  await replaceChunks(tx, org, textOf(row['memory_id']), chunks, 1)
}

/** After columns of a row were changed: what hangs on its text. */
export async function refreshMemory(tx: Tx, org: string, memoryId: string, hadHash: string | null, changed: Changed): Promise<void> {
  const { rows } = await sql<Record<string, unknown>>`SELECT * FROM loom.memory WHERE org = ${org} AND memory_id = ${memoryId}`.execute(tx)
  const row = rows[0]
  if (!row) return
  noteMemory(changed, row)
  if (hadHash === row['content_sha256']) return
  await forgetVectors(tx, org, [memoryId])
  if (Number(row['chunks']) > 0) await cutChunks(tx, org, row)
}

/** What hangs on a row and belongs to this host, or was made with it. */
const HANGING = [
  'memory_embedding',
  'memory_chunk',
  'memory_lexical',
  'memory_usage',
  'memory_summary',
  'memory_outcome',
  'learning_review',
] as const

/** Takes a row away that the server does not have; versions that it never got go with it. */
export async function dropMemory(tx: Tx, org: string, memoryId: string, versions: 'provisional' | 'all', changed: Changed): Promise<void> {
  const { rows } = await sql<Record<string, unknown>>`DELETE FROM loom.memory WHERE org = ${org} AND memory_id = ${memoryId}
    RETURNING memory_id, namespace, memory_key`.execute(tx)
  for (const row of rows) noteMemory(changed, row)
  for (const table of HANGING)
    await sql`DELETE FROM ${sql.table(`loom.${table}`)} WHERE org = ${org} AND memory_id = ${memoryId}`.execute(tx)
  await sql`DELETE FROM loom.memory_version WHERE org = ${org} AND memory_id = ${memoryId} AND (provisional OR ${versions === 'all'})`.execute(
    tx,
  )
}

/** The server knows a row of ours under another id: ours leads to it from now on. */
export async function adoptId(tx: Tx, org: string, own: string, theirs: string, now: Date, changed: Changed): Promise<void> {
  const { rows } = await sql<Record<string, unknown>>`DELETE FROM loom.memory WHERE org = ${org} AND memory_id = ${own}
    RETURNING memory_id, namespace, memory_key`.execute(tx)
  for (const row of rows) noteMemory(changed, row)
  await sql`INSERT INTO loom.memory_alias (org, alias_id, memory_id, at) VALUES (${org}, ${own}, ${theirs}, ${now})
    ON CONFLICT (org, alias_id) DO UPDATE SET memory_id = excluded.memory_id`.execute(tx)
  await sql`UPDATE loom.memory_alias SET memory_id = ${theirs} WHERE org = ${org} AND memory_id = ${own}`.execute(tx)
  await sql`DELETE FROM loom.memory_version v WHERE org = ${org} AND memory_id = ${own} AND EXISTS (SELECT 1 FROM loom.memory_version o
    WHERE o.org = v.org AND o.memory_id = ${theirs} AND o.version = v.version)`.execute(tx)
  await sql`UPDATE loom.memory_version SET memory_id = ${theirs} WHERE org = ${org} AND memory_id = ${own}`.execute(tx)
  await sql`UPDATE loom.memory_usage u SET memory_id = ${theirs} WHERE org = ${org} AND memory_id = ${own} AND NOT EXISTS
    (SELECT 1 FROM loom.memory_usage o WHERE o.org = u.org AND o.memory_id = ${theirs})`.execute(tx)
  await sql`UPDATE loom.sync_outbox SET memory_id = ${theirs} WHERE org = ${org} AND memory_id = ${own}`.execute(tx)
  await sql`UPDATE loom.sync_inbox SET memory_id = ${theirs} WHERE org = ${org} AND memory_id = ${own}`.execute(tx)
  for (const table of [...HANGING, 'memory_relation'])
    await sql`DELETE FROM ${sql.table(`loom.${table}`)} WHERE org = ${org} AND memory_id = ${own}`.execute(tx)
  await renamePairs(tx, org, own, theirs)
}

/** Changes that wait and name a pair name it as the server will. */
async function renamePairs(tx: Tx, org: string, own: string, theirs: string): Promise<void> {
  const { rows } = await sql<{ change_id: string; args: string }>`SELECT change_id, args FROM loom.sync_outbox
    WHERE org = ${org} AND op IN ('conflicts.resolve', 'memory.dedup_resolve', 'review.dismiss') AND strpos(args, ${own}) > 0`.execute(tx)
  for (const { change_id, args } of rows) {
    const parsed = parseJson(args) as Record<string, unknown>
    for (const field of ['pair_id', 'item_id']) {
      const id = parsed[field]
      if (typeof id !== 'string' || !id.includes(own)) continue
      const [a = '', b = ''] = id
        .slice('p_'.length)
        .split('_')
        .map((part) => (part === own ? theirs : part))
      parsed[field] = pairId(a, b)
    }
    await sql`UPDATE loom.sync_outbox SET args = ${stringifyJson(parsed)} WHERE org = ${org} AND change_id = ${change_id}`.execute(tx)
  }
}
