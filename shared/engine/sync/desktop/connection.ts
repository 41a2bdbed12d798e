import { sql } from 'kysely'
import type { Claims } from '../../../contract/ops/engine/info.ts'
import type { Queryable, Tx } from '../../db/database.ts'
import type { Connection } from './port.ts'

interface StateRow {
  org: string
  server_url: string
  server_id: string
  server_version: string
  judge_version: string
  device_id: string
  device_name: string
  claims: Claims
  use_namespace: string
  revoked: boolean
  erasure_seq: bigint
}

/** The connection as stored; its token lies elsewhere. */
export async function storedConnection(db: Queryable, token: string): Promise<Connection | null> {
  const { rows } =
    await sql<StateRow>`SELECT org, server_url, server_id, server_version, judge_version, device_id, device_name, claims, use_namespace,
    revoked, erasure_seq FROM loom.sync_state ORDER BY connected_at LIMIT 1`.execute(db)
  const row = rows[0]
  if (!row) return null
  return {
    org: row.org,
    serverUrl: row.server_url,
    serverId: row.server_id,
    serverVersion: row.server_version,
    judgeVersion: row.judge_version,
    deviceId: row.device_id,
    deviceName: row.device_name,
    token,
    claims: row.claims,
    useNamespace: row.use_namespace,
    revoked: row.revoked,
    erasureSeq: row.erasure_seq,
  }
}

export async function storeConnection(tx: Tx, made: Connection, now: Date): Promise<void> {
  await sql`INSERT INTO loom.sync_state (org, server_url, server_id, server_version, judge_version, device_id, device_name, claims, use_namespace,
      revoked, erasure_seq, connected_at)
    VALUES (${made.org}, ${made.serverUrl}, ${made.serverId}, ${made.serverVersion}, ${made.judgeVersion}, ${made.deviceId}, ${made.deviceName},
      ${JSON.stringify(made.claims)}::jsonb, ${made.useNamespace}, ${made.revoked}, ${made.erasureSeq}, ${now})
    ON CONFLICT (org) DO UPDATE SET server_url = excluded.server_url, server_id = excluded.server_id,
      server_version = excluded.server_version, judge_version = excluded.judge_version, device_id = excluded.device_id, device_name = excluded.device_name,
      claims = excluded.claims, use_namespace = excluded.use_namespace, revoked = excluded.revoked, erasure_seq = excluded.erasure_seq`.execute(
    tx,
  )
}

/** What a paired desktop keeps besides rows of memory. */
const KEPT = ['erasure_own_receipt', 'sync_outbox', 'sync_base', 'sync_inbox', 'shape_state', 'shape_staging', 'sync_state'] as const

export async function forgetConnection(tx: Tx, org: string): Promise<void> {
  for (const table of KEPT) await sql`DELETE FROM ${sql.table(`loom.${table}`)} WHERE org = ${org}`.execute(tx)
  // What was written here and never reached the server stays readable, as rows of this machine.
  await sql`UPDATE loom.memory SET provisional = false WHERE org = ${org} AND provisional`.execute(tx)
  await sql`UPDATE loom.memory_version SET provisional = false WHERE org = ${org} AND provisional`.execute(tx)
  await sql`UPDATE loom.memory_record_version SET provisional = false WHERE org = ${org} AND provisional`.execute(tx)
}

/** Tables with rows of an org that a desktop may have pulled or made. */
const ROWS = [
  'memory_alias',
  'memory_category',
  'memory_chunk',
  'memory_digest',
  'memory_embedding',
  'memory_lexical',
  'memory_link',
  'memory_outcome',
  'memory_pair',
  'memory_record',
  'memory_record_version',
  'memory_relation',
  'memory_schema',
  'memory_shelf',
  'memory_summary',
  'memory_usage',
  'memory_version',
  'knowledge_chunk',
  'knowledge_document',
  'knowledge_embedding',
  'conversation_embedding',
  'conversation_message',
  'conversation_thread',
  'embedding_cache',
  'extract_queue',
  'llm_cache',
  'learning_review',
  'run',
  'run_event',
  'working_memory',
  'working_lease',
  'namespace_category',
  'namespace_snapshot',
  'blacklist',
  'idempotency',
  'erasure_fence',
  'namespace',
] as const

/** Deletes the org's rows on this machine. Answers how many memories went. */
export async function removeRows(tx: Tx, org: string): Promise<number> {
  for (const table of ROWS) await sql`DELETE FROM ${sql.table(`loom.${table}`)} WHERE org = ${org}`.execute(tx)
  const { numAffectedRows } = await sql`DELETE FROM loom.memory WHERE org = ${org}`.execute(tx)
  return Number(numAffectedRows ?? 0n)
}
