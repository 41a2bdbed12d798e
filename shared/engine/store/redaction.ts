import { sql } from 'kysely'
import type { Tx } from '../db/database.ts'
import { eraseKept } from './idempotency.ts'
import type { Head } from './memories.ts'

const SCRUBBED = sql`value = NULL, excerpt = '', tags = '{}', entities = '{}', files = '{}', source_trace = '', content_sha256 = '',
  canonical_sha256 = '', chunks = 0, redacted = true`

/**
 * Takes the content out of versions of a row that still have it, newest first: number, times, status and actor stay.
 * @param versions all when left out
 */
export async function scrubVersions(tx: Tx, org: string, memoryId: string, versions?: readonly bigint[]): Promise<bigint[]> {
  const named = versions === undefined ? sql`true` : sql`version = any(${versions.map(String)}::int8[])`
  const { rows } = await sql<{ version: bigint }>`UPDATE loom.memory_version SET ${SCRUBBED}, retired_reason = ''
    WHERE org = ${org} AND memory_id = ${memoryId} AND NOT redacted AND erased_by = '' AND ${named} RETURNING version`.execute(tx)
  return rows.map((row) => row.version).sort((a, b) => (a < b ? 1 : -1))
}

/** Takes the content out of a head, with what is kept of it beside its versions. */
export async function scrubHead(tx: Tx, head: Head): Promise<Head> {
  const { org, memory_id: id } = head
  await sql`UPDATE loom.memory SET ${SCRUBBED}, rev = rev + 1 WHERE org = ${org} AND memory_id = ${id}`.execute(tx)
  for (const table of ['memory_chunk', 'memory_embedding', 'memory_relation'] as const) {
    await tx.deleteFrom(table).where('org', '=', org).where('memory_id', '=', id).execute()
  }
  const empty = { value: null, excerpt: '', tags: [], entities: [], files: [], source_trace: '', content_sha256: '', canonical_sha256: '' }
  return { ...head, ...empty, chunks: 0, redacted: true, rev: head.rev + 1n }
}

/** What was once said of a row, in words that may quote it: by the judge, and in answers kept for a repeat. */
export async function scrubQuotes(tx: Tx, org: string, memoryId: string): Promise<void> {
  await eraseKept(tx, org, [memoryId], 'all')
  // Open pairs are about the row as it now is.
  await sql`UPDATE loom.memory_pair SET reason = '' WHERE org = ${org} AND state <> 'open' AND (row_id = ${memoryId} OR peer_id = ${memoryId})`.execute(
    tx,
  )
}

/** Profile rows with versions that were built from a row, and which these are. */
export async function profilesFrom(tx: Tx, org: string, sourceId: string): Promise<{ memory_id: string; versions: bigint[] }[]> {
  const { rows } = await sql<{ memory_id: string; version: bigint }>`SELECT s.memory_id, s.version FROM loom.memory_summary s
    JOIN loom.memory m ON m.org = s.org AND m.memory_id = s.memory_id
    WHERE s.org = ${org} AND s.source_id = ${sourceId} AND m.memory_type = 'profile' ORDER BY m.memory_key, s.version`.execute(tx)
  const byId = new Map<string, bigint[]>()
  for (const row of rows) byId.set(row.memory_id, [...(byId.get(row.memory_id) ?? []), row.version])
  return [...byId].map(([memory_id, versions]) => ({ memory_id, versions }))
}
